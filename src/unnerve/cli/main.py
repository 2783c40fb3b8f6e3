"""The command ``unnerve``: starts it, and ends it in one readable line whatever happens.

Nothing heavy is imported before Ctrl-C is taken care of.
"""

import sys
import time

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
        from unnerve.cli._kernels import keep_sums_alike
        from unnerve.cli._output import own_process
        from unnerve.cli._supervisor import START, Shared, hint, runs_foreign_code, stated_seconds, supervised
        from unnerve.core.progress import expect_work, patience, show_life, watched_by

        own_process()
        keep_sums_alike()
        words = sys.argv[1:]
        foreign = runs_foreign_code([*words, *default_texts()])
        if not foreign:
            return run(words)

        def work(shared: Shared) -> int:
            seconds, step = stated_seconds(words), stated_seconds(words, "--step-seconds")
            with watched_by(shared.tell):
                # Until the run itself shows life: opening a model may hang as well, and so may any answer before steps.
                if seconds is not None:
                    show_life(time.monotonic() + seconds + START, f"nothing was begun within --seconds {seconds:g}")
                elif step is not None:
                    why = f"the model gave no answer within --step-seconds {step:g}, and {START:g} for opening it"
                    show_life(time.monotonic() + step + START, why)
                    silence = patience(step)
                    expect_work(silence, f"the model gave no answer for {silence:g} seconds before the first step")
                return run(words)

        return supervised(work, said, hint(words))


if __name__ == "__main__":
    sys.exit(main())
