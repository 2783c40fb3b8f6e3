"""The command ``unnerve``: starts it, and ends it in one readable line whatever happens.

Nothing heavy is imported before Ctrl-C is taken care of.
"""

import sys
import time
from collections.abc import Sequence

from unnerve.cli._interrupt import ending_at_once

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 a gate failed, 2 your mistake, 3 ours."""
    with ending_at_once():
        from unnerve.cli._run import full_words, run, said

        if arguments is not None:
            return run(arguments)
        # Started as the command: the process is ours, and somebody's code is run in one that is watched.
        from unnerve.cli._defaults import default_texts
        from unnerve.cli._kernels import keep_sums_alike
        from unnerve.cli._output import own_process
        from unnerve.cli._supervisor import Shared, hint, runs_foreign_code, supervised
        from unnerve.core.progress import watched_by

        own_process()
        keep_sums_alike()
        words = sys.argv[1:]
        foreign = runs_foreign_code([*words, *default_texts()])
        if not foreign:
            return run(words)

        def work(shared: Shared) -> int:
            with watched_by(shared.tell):
                _await_first_answer(full_words(words))
                return run(words)

        return supervised(work, said, lambda: hint(full_words(words)))


def _await_first_answer(words: Sequence[str]) -> None:
    """Set a deadline until the run itself shows life: opening a model may hang as well, and any answer before steps."""
    from unnerve.cli._supervisor import stated_seconds
    from unnerve.core.progress import START, expect_work, patience, show_life

    seconds, step = stated_seconds(words), stated_seconds(words, "--step-seconds")
    # The nearer one: somebody who lets a hunt run for an hour does not wait so long for a model that hangs.
    if seconds is not None and (step is None or seconds < step):
        show_life(time.monotonic() + seconds + START, f"nothing was begun within --seconds {seconds:g}")
    elif step is not None:
        why = f"the model gave no answer within --step-seconds {step:g}, and {START:g} for opening it"
        show_life(time.monotonic() + step + START, why)
        silence = patience(step, seconds)
        expect_work(silence, f"the model gave no answer for {silence:g} seconds before the first step")


if __name__ == "__main__":
    sys.exit(main())
