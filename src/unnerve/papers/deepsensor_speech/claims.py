"""What the paper claims of networks that recognise speakers, beside what the experiments found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from unnerve.papers._rules import BEYOND, Rule, above, tallied
from unnerve.papers.deepsensor_faults.comparisons import RIVALS, ahead, apart, lead
from unnerve.papers.deepsensor_faults.experiments.hunted import Hunted
from unnerve.papers.deepsensor_faults.tables import alike, share
from unnerve.papers.deepsensor_speech.tables import errors, kinds
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim, Verdict

__all__ = ["RULES", "claims_of"]

Name = tuple[str, str, str]
"""A network, how it was trained, and the region."""
Networks = Mapping[Name, list[Hunted]]

_OURS = "excitable"
_ONE_OF_TWO = 0.25
"""A share above which claims of two ways of training are held partly."""
_SOUND = "a case is a network and a region"
_OVER = "the interval over networks and seeds of"
_MORE_ERRORS = Rule(
    "DeepSensor finds 1.2 times as many adversarial inputs of speakers as its rivals",
    "finding more adversarial inputs (~ ×1.2 on average)",
    "excitable neurons, 6.4, Table 6",
    f"{_SOUND}: it supports the claim if {_OVER} DeepSensor's distinct failing inputs per seed less 1.1 times the "
    "rivals' mean lies above 0, of as many queries; held if all cases do, partly if more than half",
)
_MORE_KINDS = Rule(
    "DeepSensor finds more categories of errors of speakers than each rival",
    "more test errors from diverse categories can be triggered",
    "excitable neurons, 6.4, Table 6",
    f"{_SOUND}, and a rival: it supports the claim if {_OVER} the difference of categories per seed lies above 0, of "
    "as many queries; held if all cases do, partly if more than half",
)
_INCOMPLETE = Rule(
    "DeepSensor finds 1.2 times as many errors of incompletely trained speaker recognition as its rivals",
    "more errors in incompletely-trained models (~ ×1.2)",
    "excitable neurons, 6.4, Table 7",
    f"a case is a way of training: it supports the claim if {_OVER} DeepSensor's share of seeds broken less 1.1 times "
    "the rivals' mean share lies above 0, of as many queries; held if both do, partly if one does",
)
_WORSE = Rule(
    "DeepSensor finds more errors in badly trained speaker recognition than in sound one",
    "hunt more errors for incompletely-trained models than for well-trained models",
    "excitable neurons, 6.1.2, of images; the figures of Table 7 say it of speech",
    f"a case is a way of training: it supports the claim if {_OVER} the share of seeds broken less that of sound "
    "networks of the same training seeds lies above 0; held if both do, partly if one does",
)
_NOISE = Rule(
    "DeepSensor finds more categories of errors of speakers than noise",
    "",
    BEYOND,
    f"{_SOUND}: it supports the statement if {_OVER} the difference of categories per seed lies above 0, of as many "
    "queries; held if all cases do, partly if more than half",
)
RULES = (_MORE_ERRORS, _MORE_KINDS, _INCOMPLETE, _WORSE, _NOISE)


def claims_of(results: Sequence[Hunted], planned: Iterable[Name]) -> list[Claim]:
    """Return every claim on which the networks so far have something to say.

    Parameters
    ----------
    results : sequence of Hunted
    planned : iterable of Name
        All cases that there are; one without results is open.
    """
    found = alike(results)
    groups = {name: found.get(name, []) for name in dict.fromkeys(planned)}
    sound = {name: some for name, some in groups.items() if name[1] == "sound"}
    bad = {name: some for name, some in groups.items() if name[1] != "sound"}
    return [*_of_sound(sound), *_of_bad(bad, sound)]


def _of_sound(groups: Networks) -> Iterator[Claim]:
    if not any(groups.values()):
        return
    leads = {_short(name): lead(some, _OURS, 1.1, figure=errors) for name, some in groups.items()}
    told = "; ".join(f"{_short(name)}: {_errors(some)}" for name, some in groups.items() if some)
    yield _MORE_ERRORS.decided(_verdict(leads), "18,016 and 18,550 against 14,793 to 17,314", f"per seed, {told}")
    by_rival = {
        f"{rival}, {_short(name)}": ahead(some, _OURS, rival, kinds)
        for name, some in groups.items()
        for rival in RIVALS
    }
    yield _MORE_KINDS.decided(_verdict(by_rival), "4.25 and 4.00 per seed against 2.77 to 3.72", _leads(by_rival))
    noise = {_short(name): ahead(some, _OURS, "random noise", kinds) for name, some in groups.items()}
    yield _NOISE.decided(_verdict(noise), "-", _leads(noise))


def _of_bad(groups: Networks, sound: Networks) -> Iterator[Claim]:
    if not any(groups.values()):
        return
    leads = {_short(name): lead(some, _OURS, 1.1) for name, some in groups.items()}
    told = "; ".join(f"{_short(name)}: {_shares(some)}" for name, some in groups.items() if some)
    yield _INCOMPLETE.decided(_verdict(leads, _ONE_OF_TWO), "983 and 967 of 1,000 against 744 to 823", told)
    more = {
        _short(name): apart(some, sound.get((name[0], "sound", name[2]), []), _OURS) for name, some in groups.items()
    }
    yield _WORSE.decided(_verdict(more, _ONE_OF_TWO), "983 and 967 of 1,000 against 900", _leads(more, 100, "points"))


def _verdict(leads: Mapping[str, Interval | None], partly: float = 0.5) -> Verdict:
    return tallied((above(one, 0) for one in leads.values()), partly=partly)


def _leads(leads: Mapping[str, Interval | None], unit: float = 1, word: str = "") -> str:
    digits = 0 if unit == 100 else 2
    told = []
    for name, one in leads.items():
        if one is not None:
            mean, low, high = (f"{unit * value:+.{digits}f}" for value in (one.mean, one.low, one.high))
            told.append(f"{name}: {mean}{' ' if word else ''}{word} ({low} to {high})")
    return "; ".join(told)


def _errors(some: Sequence[Hunted]) -> str:
    means = {name: np.mean([errors(one.rows[name]).counts.mean() for one in some]) for name in (_OURS, *RIVALS)}
    return f"{means[_OURS]:.1f} against {', '.join(f'{means[name]:.1f} ({name})' for name in RIVALS)}"


def _shares(some: Sequence[Hunted]) -> str:
    rivals = np.mean([share(some, rival).mean for rival in RIVALS])
    return f"{100 * share(some, _OURS).mean:.0f} % against {100 * rivals:.0f} %"


def _short(name: Name) -> str:
    network, kind, region = name
    return ", ".join((network.partition(":")[0], *([] if kind == "sound" else [kind]), region))
