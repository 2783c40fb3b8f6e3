"""The command ``unnerve``: starts it, and ends it in one readable line whatever happens.

Nothing heavy is imported before Ctrl-C is taken care of.
"""

import sys

from unnerve.cli._interrupt import ending_at_once

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 a gate failed, 2 your mistake, 3 ours."""
    with ending_at_once():
        from unnerve.cli._run import run

        return run(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
