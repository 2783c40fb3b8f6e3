"""The search to recommend after one that found nothing, or did not look at the model: one that will not be refused."""

from dataclasses import dataclass

from unnerve.core.fitting import NORMED
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build
from unnerve.core.naming.command_text import number_text
from unnerve.reports.campaign.evidence import Evidence
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["DirectedSearch", "directed_search"]

_PATTERN = "uncommon_ascent"
_OF_NORMS = {"l0": ("jsma",), "l2": ("pgd", "square"), "linf": ("pgd", "square")}
"""What to recommend for errors, by the region's norm, the best first; elsewhere no search is led by the model."""


@dataclass(frozen=True)
class DirectedSearch:
    """A method that the model leads.

    Parameters
    ----------
    name : str
    settings : str
        As on the command line; empty for the usual ones.
    climbs : bool
        It follows the model's gradient, and not its answers alone.
    """

    name: str
    settings: str
    climbs: bool

    @property
    def text(self) -> str:
        """The method as on the command line."""
        return f"{self.name}:{self.settings}" if self.settings else self.name

    def led_by(self, whose: str = "") -> str:
        """Return what it follows, within a sentence; ``whose`` names the model."""
        owner = f"{whose}'s" if whose else "its"
        return f"along {owner} gradient" if self.climbs else f"by {owner} answers"


def directed_search(evidence: Evidence) -> DirectedSearch | None:
    """Return a search for what the leading campaign looked for, that its model, region and inputs admit."""
    first = evidence.leading
    # Only hunts: an arena has directed methods among its own.
    if first.provenance is None or first.provenance.call.verb != "hunt":
        return None
    patterns = first.plan.oracle.of_patterns
    offered = (_PATTERN,) if patterns else _OF_NORMS.get(first.plan.region.norm, ())
    name = next((one for one in offered if _works(one, first, evidence.shape)), None)
    if name is None:
        return None
    settings = _pattern_settings(first) if patterns else ""
    return DirectedSearch(name, settings, climbs=Capability.GRADIENTS in build("hunter", name).needs)


def _works(name: str, campaign: Campaign, shape: tuple[int, ...]) -> bool:
    """Say whether a hunter will not be refused, by what it and the campaign say of themselves."""
    method, region = build("hunter", name), campaign.plan.region
    own = method.regions
    inside = own is None or region.described.get("name") in own or (NORMED in own and region.normed)
    offered = not method.needs & ~campaign.offers
    return inside and offered and getattr(method, "axes", len(shape)) == len(shape)


def _pattern_settings(campaign: Campaign) -> str:
    """Return the pattern as settings; empty where the command says it by an option."""
    if campaign.provenance is not None and "pattern" in campaign.provenance.call.settings:
        return ""
    wanted = campaign.plan.oracle.described
    # The pattern was a setting of the old method, or of the oracle.
    limits = {name: wanted[name] for name in ("confidence", "uncertainty") if wanted[name] is not None}
    told = {"pattern": wanted["pattern"], **{name: number_text(value) for name, value in limits.items()}}
    return ",".join(f"{name}={value}" for name, value in told.items())
