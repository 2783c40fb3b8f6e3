"""The verbs of the command ``unnerve``."""

import os
from typing import Annotated

import typer

import unnerve
from unnerve.cli._begun import begun
from unnerve.cli._listed import VerbCommand
from unnerve.cli.verbs.arena import arena
from unnerve.cli.verbs.corrupt import corrupt
from unnerve.cli.verbs.cover import cover
from unnerve.cli.verbs.defend import defend
from unnerve.cli.verbs.demo import demo
from unnerve.cli.verbs.diagnose import diagnose
from unnerve.cli.verbs.download import download
from unnerve.cli.verbs.export import export
from unnerve.cli.verbs.harden import harden
from unnerve.cli.verbs.hunt import hunt
from unnerve.cli.verbs.inspect import inspect
from unnerve.cli.verbs.map import map_verb
from unnerve.cli.verbs.methods import methods
from unnerve.cli.verbs.rank import rank
from unnerve.cli.verbs.react import react
from unnerve.cli.verbs.report import report
from unnerve.cli.verbs.reproduce import reproduce
from unnerve.cli.verbs.score import score
from unnerve.cli.verbs.train import train
from unnerve.cli.verbs.verify import verify

__all__ = ["app"]

# Measured: beside one other busy process, threads that spin while they wait make a two-thread pass ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

app = typer.Typer(
    name="unnerve",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

_VERBS = (
    demo,
    rank,
    cover,
    map_verb,
    hunt,
    arena,
    defend,
    react,
    score,
    corrupt,
    diagnose,
    harden,
    report,
    export,
    verify,
    train,
    download,
    inspect,
    reproduce,
    methods,
)
for verb in _VERBS:
    app.command(verb.__name__.removesuffix("_verb"), cls=VerbCommand)(begun(verb))


def _version(wanted: bool) -> None:
    if wanted:
        print(f"unnerve {unnerve.__version__}")
        raise typer.Exit


@app.callback()
def unnerve_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Say on stderr what is being done, and when.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but results and errors.")] = False,
    no_defaults: Annotated[
        bool, typer.Option("--no-defaults", help="Leave the defaults of unnerve.toml or pyproject.toml alone.")
    ] = False,
) -> None:
    """Find the inputs that unnerve your neural network, before the world does.

    Start with `unnerve demo`; then `unnerve rank MODEL DATA`. Every verb has --help with an example.
    """
