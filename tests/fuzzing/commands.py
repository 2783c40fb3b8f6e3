"""Running command lines in a process beside, and what every one of them must keep to."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["Commands", "complaint"]

PATIENCE = 900.0
"""Seconds after which a command is taken to hang: on a busy machine one of a second may take minutes."""


class Commands:
    """Runs command lines; a process that dies or hangs is replaced, and the fact is the answer."""

    def __init__(self) -> None:
        self.runs = 0
        self.process: subprocess.Popen[str] | None = None

    def run(self, words: list[str], folder: Path) -> dict[str, Any]:
        """Return exit code, stdout and stderr; the code is text if there was none."""
        self.runs += 1
        if self.process is None:
            self.process = self._started()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"words": words, "folder": str(folder)}) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.close()
            return {"code": "hangs", "out": "", "err": ""}
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.process = None
            return {"code": f"died with {code}", "out": "", "err": ""}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                stream.close()
        self.process = None

    def _started(self) -> "subprocess.Popen[str]":
        script = Path(__file__).with_name("commander.py")
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, str(script)], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=env
        )


def complaint(answer: dict[str, Any], words: list[str]) -> str | None:
    """Say what is wrong with an answer; None if it is as promised.

    Promised is exit code 0, 1 or 2; with 2 one readable line at the end of stderr and nothing on stdout; never a
    traceback; with ``--json`` one JSON object on stdout, or nothing.
    """
    code, out, err = answer["code"], answer["out"], answer["err"]
    if code not in (0, 1, 2):
        return f"exit code {code}: {err[-400:]}"
    if "Traceback" in err + out:
        return f"a traceback: {err[-400:]}"
    if code == 2 and not (err.splitlines() and err.splitlines()[-1].startswith("unnerve: ") and not out):
        return f"code 2 without one clear line: {err[-400:]!r} {out[-200:]!r}"
    if "--json" in words and "--help" not in words and code == 0 and out and not isinstance(json.loads(out), dict):
        return f"no JSON object: {out[:200]}"
    return None
