"""DeepHunter with and without coverage: what each search found, and how much more than without a queue."""

from collections.abc import Sequence

from unnerve.papers.deepsensor.experiments.guidance import NOTHING, Guidance
from unnerve.papers.deepsensor.first_errors import evenness, naturalness
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Table

__all__ = ["guidance_table"]


def guidance_table(results: Sequence[Guidance]) -> Table:
    """Return what joins the queue and what is found then."""
    rows = []
    for one in results:
        for name, hunts in one.rows.items():
            seeds = ", ".join(str(hunt.broken) for hunt in hunts)
            broken = f"{_interval(one.broken(name))}: {seeds} of {len(hunts[0].classes)}"
            kinds = one.kinds(name), one.more_kinds(name)
            both = [(one.figure(name, of), one.lead(name, of)) for of in (naturalness, evenness)]
            leads = (_with_lead(*pair, name) for pair in (kinds, *both))
            rows.append((f"{one.plan.setup.network}, {name}", broken, *leads))
    columns = ("network, what joins the queue", "broken", "kinds per seed", "LeNet-4 still right", "evenness")
    title = "DeepHunter with and without coverage: means over hunts (more than where nothing joins the queue)"
    return Table(title, columns, tuple(rows))


def _with_lead(value: Interval | None, lead: Interval | None, name: str) -> str:
    if name == NOTHING or lead is None:
        return _interval(value)
    return f"{_interval(value)}, difference {lead.mean:+.3f} ({lead.low:+.2f} to {lead.high:+.2f})"


def _interval(value: Interval | None) -> str:
    return "-" if value is None else f"{value.mean:.3g} ({value.low:.2g} to {value.high:.2g})"
