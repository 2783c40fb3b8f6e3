"""Several draws in one pass, where a pass has so few rows that loading the weights takes longer than using them.

MobileNetV2 on 224 pixels runs four photos at a time, and drops units before its classifier: its 1.3 million weights
would be read for four rows, in every draw again.
"""

from collections.abc import Sequence

from unnerve.subjects.adapters._passes import FLOOR
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis
from unnerve.subjects.adapters.dropout._provenance import INPUT, Call
from unnerve.subjects.adapters.dropout._replay_plan import ReplayPlan

__all__ = ["draws_together", "may_be_together"]

_ROWS = 128
"""Rows of what runs again, all draws together: more gain nothing."""

_CACHE = 4 * 2**20
"""Bytes of its widest output, as of whole passes."""


def may_be_together(calls: Sequence[Call], plan: ReplayPlan, axes: Sequence[BatchAxis]) -> bool:
    """Say whether draws may be rows of one pass: all that runs again comes from the first dropout, row by row.

    Parameters
    ----------
    calls : sequence of Call
        A pass, as it was recorded.
    plan : ReplayPlan
        Of that pass.
    axes : sequence of BatchAxis
        Of its calls of dropout.
    """
    prefix = len(plan.again)
    if prefix == 0 or any(plan.again) or prefix >= len(calls) or any(axis != BatchAxis(0) for axis in axes):
        return False
    first, *rest = calls[prefix:]
    # Values that the module's own code looks at could lead it elsewhere for other inputs. A call without tensors to
    # judge by, such as torch.ones(rows, 1), may have counted the rows of the prefix.
    if not first.is_dropout or first.writes or any(call.returns_values for call in calls):
        return False
    before = {INPUT, *first.reads, *(memory for call in calls[:prefix] for memory in call.returns)}
    return all(call.reads and before.isdisjoint(call.reads) for call in rest)


def draws_together(rows: int, widest: int) -> int:
    """Return how many draws of so many rows are one pass, if the widest output has so many bytes an input.

    It is one wherever a pass has rows enough, and depends on nothing else, so that an input has the same bits in any
    company and in any number of draws.
    """
    return 1 if rows >= FLOOR else max(1, min(_ROWS, _CACHE // max(1, widest)) // rows)
