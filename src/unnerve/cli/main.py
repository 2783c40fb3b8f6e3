"""The command ``unnerve``: verbs, exit codes, and one readable line for every mistake."""

import os
import sys
import traceback
from typing import Annotated, Any

import typer

import unnerve
from unnerve.cli._memory import keep_freed_memory
from unnerve.cli.arena import arena
from unnerve.cli.cover import cover
from unnerve.cli.demo import demo
from unnerve.cli.download import download
from unnerve.cli.export import export
from unnerve.cli.hunt import hunt
from unnerve.cli.inspect import inspect
from unnerve.cli.map import map_verb
from unnerve.cli.methods import methods
from unnerve.cli.options import Stopped
from unnerve.cli.rank import rank
from unnerve.cli.react import react
from unnerve.cli.report import report
from unnerve.cli.reproduce import reproduce
from unnerve.cli.train import train
from unnerve.core.errors import UserError

__all__ = ["app", "main"]

# Measured: beside one other busy process, threads that spin while they wait make a two-thread pass ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

app = typer.Typer(
    name="unnerve",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

_VERBS = (demo, rank, cover, map_verb, hunt, arena, react, report, export, train, download, inspect, reproduce, methods)
for verb in _VERBS:
    app.command(verb.__name__.removesuffix("_verb"))(verb)

# typer brings its own click or uses the installed one, depending on its version; both look alike from here.
_UsageError: Any = typer.BadParameter.__mro__[1]
_STOPPED = 130


def _version(wanted: bool) -> None:
    if wanted:
        print(f"unnerve {unnerve.__version__}")
        raise typer.Exit


@app.callback()
def unnerve_command(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Find the inputs that unnerve your neural network, before the world does.

    Start with `unnerve demo`; then `unnerve rank MODEL DATA`. Every verb has --help with an example.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 a gate failed, 2 your mistake, 3 ours."""
    given = sys.argv[1:] if arguments is None else arguments
    keep_freed_memory()
    debug, given = "--debug" in given, [word for word in given if word != "--debug"] or ["--help"]
    try:
        code = int(typer.main.get_command(app)(given, prog_name="unnerve", standalone_mode=False) or 0)
        return _said("stopped", code) if code == _STOPPED else code
    except _UsageError as problem:
        return _said(str(problem.format_message()), 2)
    except UserError as problem:
        if debug:
            traceback.print_exc()
        return _said(problem.command_line, 2)
    except (KeyboardInterrupt, typer.Abort, Stopped) as problem:
        return _said(str(problem) or "stopped", _STOPPED)
    except BrokenPipeError:
        return 0
    except Exception as problem:
        if debug:
            traceback.print_exc()
        return _said(f"internal error, {type(problem).__name__}: {problem} (--debug shows where)", 3)


def _said(message: str, code: int) -> int:
    print("unnerve: " + " ".join(message.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
