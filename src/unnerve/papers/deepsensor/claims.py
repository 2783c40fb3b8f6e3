"""What the DeepSensor papers claim of adversarial inputs, beside what the experiments found."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from unnerve.papers.deepsensor.tables import Result
from unnerve.studies.intervals import student
from unnerve.studies.reproduction import Claim

__all__ = ["claims_of"]

_OURS = ("sensitive neurons", "excitable neurons")


def claims_of(by_kind: Mapping[str, Sequence[Result]]) -> list[Claim]:
    """Return every claim of both papers on which an experiment has something to say."""
    return [claim for claim in _claims(by_kind) if claim is not None]


def _claims(by_kind: Mapping[str, Sequence[Result]]) -> Iterator[Claim | None]:
    for reacting in ("sensitive", "excitable"):
        yield _observation(by_kind["observation"], reacting)
    yield _more_errors(by_kind["errors"], "random noise", "DeepSensor finds more errors and categories than noise")
    yield _more_errors(by_kind["errors"], "PGD", "DeepSensor finds more categories of errors than an attack (PGD)")
    yield _identical(by_kind["errors"])
    yield _settles(by_kind["fitness"])
    yield _covers(by_kind["coverage"])
    yield _rises(by_kind["sweeps"], "threshold", "Errors rise with lambda and then stay")
    yield _rises(by_kind["sweeps"], "enough", "Errors rise with epsilon")
    yield _start(by_kind["sweeps"])
    yield _optimisers(by_kind["optimisers"])
    yield _overlap(by_kind["overlap"])


def _observation(results: Sequence[Result], reacting: str) -> Claim | None:
    if not results:
        return None
    pairs = results[0]["counts"][reacting]
    noisy, corner = (student([pair[place] for pair in pairs]) for place in (0, 1))
    more = sum(second > first for first, second in pairs) / len(pairs)
    apart = student([second - first for first, second in pairs])
    return Claim(
        f"A corner case activates many more {reacting} neurons than a benign input of the same class",
        "much more (Fig. 1)",
        f"{corner.mean:.1f} against {noisy.mean:.1f} with noise of the same size; more in {more:.0%} of {len(pairs)} "
        f"pairs",
        apart.ci95,
        apart.low > 0,
    )


def _more_errors(results: Sequence[Result], than: str, claim: str) -> Claim | None:
    if not results:
        return None
    told, gains = [], []
    for method in _OURS:
        kinds = [(one["rows"][method]["error_categories"], one["rows"][than]["error_categories"]) for one in results]
        gains += [ours - theirs for ours, theirs in kinds]
        told.append(f"{method}: more in {sum(a > b for a, b in kinds)} of {len(kinds)} networks")
    return Claim(
        claim,
        "2.9 kinds per seed on LeNet-5 (rival fuzzers 1.5 to 2.5)",
        "; ".join(told),
        student([float(gain) for gain in gains]).ci95,
        all(gain > 0 for gain in gains),
    )


def _identical(results: Sequence[Result]) -> Claim | None:
    """Compare the two papers, whose tables are identical."""
    if not results:
        return None
    pairs = [tuple(one["rows"][method]["error_categories"] for method in _OURS) for one in results]
    return Claim(
        "Sensitive and excitable neurons find equally many errors and categories",
        "identical tables in both papers",
        f"excitable neurons find more categories in {sum(b > a for a, b in pairs)} of {len(pairs)} networks, sensitive "
        f"ones in {sum(a > b for a, b in pairs)}",
        student([float(b - a) for a, b in pairs]).ci95,
        all(a == b for a, b in pairs),
    )


def _settles(results: Sequence[Result]) -> Claim | None:
    if not results:
        return None
    shares = {
        f"{one['plan']['network']}, {name}": (curve[10] / max(curve[-1], 1e-9), curve[-1])
        for one in results
        for name, curve in one["curves"].items()
        if len(curve) > 10
    }
    return Claim(
        "The share of reacting neurons stays the same after ten iterations",
        "0 at first, 37 % from the tenth iteration on (VGG16)",
        "; ".join(f"{name}: {at:.0%} of its last value of {end:.1%} by then" for name, (at, end) in shares.items()),
        student([at for at, _ in shares.values()]).ci95,
        all(at > 0.95 for at, _ in shares.values()),
    )


def _covers(results: Sequence[Result]) -> Claim | None:
    if not results:
        return None
    told, wins = [], []
    for one in results:
        gains = one["coverage"]
        for name in ("sensitive", "excitable"):
            more = [gains[name][key] > gains["random noise"][key] for key in gains["seeds"]]
            wins += more
            told.append(f"{one['plan']['network']}, {name}: more by {sum(more)} of {len(more)} criteria")
    return Claim(
        "Its test inputs add more coverage than random noise with an L2 change of at most 1",
        "in most cases, up to twice",
        "; ".join(told),
        None,
        sum(wins) > len(wins) / 2,
    )


def _rises(results: Sequence[Result], setting: str, claim: str) -> Claim | None:
    if not results:
        return None
    told, held = [], True
    for name, rows in results[0][setting].items():
        errors = [row["errors_as_in_paper"] for _, row in rows]
        told.append(
            f"{name}: " + ", ".join(f"{value}: {count:,}" for (value, _), count in zip(rows, errors, strict=True))
        )
        held &= all(later >= 0.9 * earlier for earlier, later in pairwise(errors))
    paper = "rises until 0.6, then stable" if setting == "threshold" else "rises"
    return Claim(claim, paper, "errors by value. " + "; ".join(told), None, held)


def _start(results: Sequence[Result]) -> Claim | None:
    if not results:
        return None
    found = {
        name: {value: row["errors_as_in_paper"] for value, row in rows} for name, rows in results[0]["start"].items()
    }
    return Claim(
        "A random start finds more errors than a fixed one",
        "on both networks",
        "; ".join(
            f"{name}: " + ", ".join(f"{value} {count:,}" for value, count in by.items()) + " errors"
            for name, by in found.items()
        ),
        None,
        all(by["random"] > by["fixed"] for by in found.values()),
    )


def _optimisers(results: Sequence[Result]) -> Claim | None:
    if not results:
        return None
    rows = results[0]["rows"]
    spans = {}
    for objective in ("sensitive", "excitable"):
        counts = [row["errors_as_in_paper"] for name, row in rows.items() if name.endswith(objective)]
        spans[objective] = (min(counts), max(counts))
    return Claim(
        "Errors do not depend on the optimiser",
        "PSO replaced by others, similar results",
        "; ".join(
            f"{name} neurons: {low:,} to {high:,} errors over four searches" for name, (low, high) in spans.items()
        ),
        None,
        all(low > 0.8 * high for low, high in spans.values()),
    )


def _overlap(results: Sequence[Result]) -> Claim | None:
    if not results:
        return None
    one = results[0]
    place = one["methods"].index("DeepSensor")
    shared = {name: one["shared"][place][other] for other, name in enumerate(one["methods"]) if other != place}
    return Claim(
        "DeepSensor's most excitable neurons include almost all of those of the attacks",
        "almost all of ten (Fig. 7)",
        ", ".join(f"{name} {count:.1f}" for name, count in shared.items()) + f" of ten; chance {one['chance']:.1f}",
        None,
        all(count > 8 for count in shared.values()),
    )
