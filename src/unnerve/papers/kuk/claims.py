"""What KuK claims, beside what its trials found."""

from collections.abc import Sequence

from unnerve.papers.kuk.results import AttackFigures, TrialResult, rows_of
from unnerve.papers.kuk.trial import EXTREMES
from unnerve.studies.intervals.student import mean_ci95
from unnerve.studies.map.result import METRICS
from unnerve.studies.reproduction import Claim

__all__ = ["claims_of"]


def claims_of(results: Sequence[TrialResult]) -> tuple[Claim, ...]:
    """Return the paper's claims; those on attacks once for each extreme, because the answers differ."""
    by_extreme = [claim for extreme in EXTREMES for claim in _claims(results, extreme)]
    return _benign(results), *by_extreme, _stable(results)


def _claims(results: Sequence[TrialResult], extreme: str) -> list[Claim]:
    rows = [row.figures for row in rows_of(results, extreme)]
    of = f" ({extreme} change of each attack)"
    return [*_metrics(rows, of), _pattern(rows, of), _correlation(results, extreme, of)]


def _metrics(rows: Sequence[AttackFigures], of: str) -> list[Claim]:
    auc = {metric: [figures.auc[metric].mean for figures in rows] for metric in METRICS}
    first = sum(all(pcs >= auc[m][row] for m in METRICS) for row, pcs in enumerate(auc["pcs"]))
    best = sum(
        all(vro >= auc[m][row] for m in ("vr", "predictive_entropy", "mi")) for row, vro in enumerate(auc["vro"])
    )
    return [
        Claim(
            f"PCS tells adversarial from benign inputs best of all metrics{of}",
            "best in 16 of 16; AUC 0.794 to 1.000",
            f"best in {first} of {len(rows)}; AUC {min(auc['pcs']):.3f} to {max(auc['pcs']):.3f}",
            mean_ci95(auc["pcs"], 0, 1),
            first > len(rows) / 2,
        ),
        Claim(
            f"VRO is the best of the dropout metrics{of}",
            "best in 16 of 16; AUC 0.775 to 0.995",
            f"best in {best} of {len(rows)}; AUC {min(auc['vro']):.3f} to {max(auc['vro']):.3f}",
            mean_ci95(auc["vro"], 0, 1),
            best > len(rows) / 2,
        ),
    ]


def _pattern(rows: Sequence[AttackFigures], of: str) -> Claim:
    shares = [figures.group.patterns["LH"] for figures in rows]
    return Claim(
        f"Adversarial inputs have low confidence and high uncertainty: LH{of}",
        "usually",
        f"{min(shares):.0%} to {max(shares):.0%} of them are LH; most are in {sum(x > 0.5 for x in shares)} of "
        f"{len(rows)}",
        mean_ci95(shares, 0, 1),
        sum(share > 0.5 for share in shares) > len(rows) / 2,
    )


def _correlation(results: Sequence[TrialResult], extreme: str, of: str) -> Claim:
    slopes = [result.correlation[extreme] for result in results]
    return Claim(
        f"PCS and VRO are inversely correlated, benign and adversarial inputs together{of}",
        "tentatively",
        ", ".join(f"{one.title} {slope:+.2f}" for one, slope in zip(results, slopes, strict=True)),
        mean_ci95(slopes, -1, 1),
        all(slope < 0 for slope in slopes),
    )


def _benign(results: Sequence[TrialResult]) -> Claim:
    shares = [result.benign.patterns["HL"] for result in results]
    return Claim(
        "Benign inputs have high confidence and low uncertainty: HL",
        "usually",
        ", ".join(f"{one.title} {share:.0%}" for one, share in zip(results, shares, strict=True)) + " of them",
        mean_ci95(shares, 0, 1),
        all(share > 0.5 for share in shares),
    )


def _stable(results: Sequence[TrialResult]) -> Claim:
    """Compare the mean VRO of every group after 20 draws with that after all of them."""
    groups = [result.benign for result in results]
    groups += [row.figures.group for extreme in EXTREMES for row in rows_of(results, extreme)]
    apart = [abs(group.vro_by_draws[20] - group.vro.mean) for group in groups]
    return Claim(
        "VRO does not depend on the number of draws T above 20",
        "not sensitive",
        f"the mean VRO of a group changes by {sum(apart) / len(apart):.4f} on average, {max(apart):.4f} at most, "
        "from 20 draws to all",
        mean_ci95(apart, low=0),
        max(apart) < 0.05,
    )
