"""A process that runs command lines, one JSON line each, so that one that crashes or hangs is seen and does no harm.

Read: ``{"words": [...], "folder": PATH}``. Printed: ``{"code": ..., "out": ..., "err": ...}``.
"""

import contextlib
import io
import json
import os
import sys
import warnings

from unnerve.cli.main import main


def ran(words: list[str], folder: str) -> dict[str, object]:
    os.chdir(folder)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code: object = main(words)
        except BaseException as problem:
            code = f"{type(problem).__name__}: {problem}"
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what C libraries print is no answer
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(ran(order["words"], order["folder"])), file=answers, flush=True)
