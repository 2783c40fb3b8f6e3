"""The command ``unnerve``: starts it, and ends it in one readable line whatever happens.

Nothing heavy is imported before Ctrl-C is taken care of.
"""

import sys

from unnerve.cli._interrupt import ending_at_once

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 a gate failed, 2 your mistake, 3 ours."""
    with ending_at_once():
        from unnerve.cli._run import run, said

        if arguments is not None:
            return run(arguments)
        # Started as the command: the process is ours, and somebody's code is run in one that is watched.
        from unnerve.cli._defaults import default_texts
        from unnerve.cli._output import own_process
        from unnerve.cli._supervisor import runs_foreign_code, supervised

        own_process()
        words = sys.argv[1:]
        foreign = runs_foreign_code([*words, *default_texts()])
        return supervised(lambda shared: run(words), said) if foreign else run(words)


if __name__ == "__main__":
    sys.exit(main())
