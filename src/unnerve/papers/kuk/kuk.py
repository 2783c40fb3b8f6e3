"""Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software from the Lens of Uncertainty"."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.papers._parts import results_of
from unnerve.papers.kuk.tables import (
    TITLES,
    Result,
    auc_table,
    benign_vro,
    draws_figure,
    mean_table,
    pattern_table,
    plane,
    rows_of,
    title,
)
from unnerve.papers.kuk.trial import EXTREMES, Trial, part_of
from unnerve.studies.intervals import student
from unnerve.studies.reproduction import Claim, Reproduction
from unnerve.studies.uncertainty import METRICS
from unnerve.subjects.training.recipes import recipe_for

__all__ = ["kuk"]


def kuk(
    data: Path,
    folder: Path,
    *,
    full: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Regenerate Tables 3 and 4, for the smallest change that each attack finds and for its strongest one.

    Parameters
    ----------
    data : Path
        Folder with ``mnist``, ``cifar10``, ``imagenet-samples`` and, for ResNet-20 and MobileNet, ``weights``.
    folder : Path
        For results; finished parts in it are kept.
    full : bool
        9,000 seeds per network and a whole training of NIN, instead of 20 to 200 and a few epochs.
    seed : int
        Decides seeds' noise, masks and training.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software from the Lens of Uncertainty",
    2020.
    """
    if not data.is_dir():
        raise InvalidData(f"no such folder: {data}")
    every = _trials(full, seed)
    missing = {trial.network: lack for trial in every if (lack := trial.missing(data)) is not None}
    wanted = [trial for trial in every if trial.network not in missing]
    if not wanted:
        raise InvalidData(f"{data} must hold mnist, cifar10 or imagenet-samples, got none of them")
    results = results_of([part_of(trial, data, folder) for trial in wanted], folder, progress)
    claims = [claim for extreme in EXTREMES for claim in _claims(results, extreme)]
    return Reproduction(
        paper="kuk",
        size=f"{'the paper’s size' if full else 'shortened'}: "
        + "; ".join(
            f"{title(one)} {one['count']} inputs, accuracy {one['accuracy']:.1%}, dropout {one['dropout']}"
            for one in results
        ),
        claims=(_benign(results), *claims, _stable(results)),
        tables=(
            *(auc_table(results, extreme) for extreme in EXTREMES),
            *(mean_table(results, extreme) for extreme in EXTREMES),
            pattern_table(results),
        ),
        cells=tuple(results),
        skipped=tuple(f"{TITLES[network]}: {lack}" for network, lack in missing.items()),
        figures=(*(plane(one, extreme) for one in results for extreme in EXTREMES), draws_figure(results)),
    )


def _trials(full: bool, seed: int) -> list[Trial]:
    """Return the paper's four networks."""
    nin = recipe_for("nin", (3, 32, 32))
    nin = nin if full else replace(nin, epochs=4)
    # Differs: the paper bounds no attack, but without a bound there is no strongest change.
    wanted = (
        ("lenet5", "mnist", 50, ("linf:0.3", "l2:6"), 200, None),
        ("nin", "cifar10", 100, ("linf:8/255", "l2:2"), 20, replace(nin, seed=seed)),
        ("resnet20", "cifar10", 100, ("linf:8/255", "l2:2"), 60, None),
        ("mobilenet", "imagenet-samples", 100, ("linf:8/255", "l2:8"), 40, None),
    )
    return [
        Trial(network, name, draws, benign_vro(network), _campaigns(*radii), 9000 if full else inputs, seed, recipe)
        for network, name, draws, radii, inputs, recipe in wanted
    ]


def _campaigns(linf: str, l2: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    least = "carlini-wagner:steps=60,searches=3,constant=1,step=0.05"
    return (linf, ("fgsm:lengths=30", "bim:steps=20")), (l2, ("deepfool", least))


def _claims(results: Sequence[Result], extreme: str) -> list[Claim]:
    rows = [figures for _, _, _, figures in rows_of(results, extreme)]
    auc = {metric: [figures["auc"][metric][0] for figures in rows] for metric in METRICS}
    of = f" ({extreme} change of each attack)"
    first = sum(all(pcs >= auc[m][row] for m in METRICS) for row, pcs in enumerate(auc["pcs"]))
    best = sum(all(vro >= auc[m][row] for m in ("vr", "pe", "mi")) for row, vro in enumerate(auc["vro"]))
    hidden = [figures["patterns"]["LH"] for figures in rows]
    slopes = [result["correlation"][extreme] for result in results]
    return [
        Claim(
            f"PCS tells adversarial from benign inputs best of all metrics{of}",
            "best in 16 of 16; AUC 0.794 to 1.000",
            f"best in {first} of {len(rows)}; AUC {min(auc['pcs']):.3f} to {max(auc['pcs']):.3f}",
            student(auc["pcs"]).ci95,
            first > len(rows) / 2,
        ),
        Claim(
            f"VRO is the best of the dropout metrics{of}",
            "best in 16 of 16; AUC 0.775 to 0.995",
            f"best in {best} of {len(rows)}; AUC {min(auc['vro']):.3f} to {max(auc['vro']):.3f}",
            student(auc["vro"]).ci95,
            best > len(rows) / 2,
        ),
        Claim(
            f"Adversarial inputs have low confidence and high uncertainty: LH{of}",
            "usually",
            f"{min(hidden):.0%} to {max(hidden):.0%} of them are LH; most are in {sum(x > 0.5 for x in hidden)} of "
            f"{len(rows)}",
            student(hidden).ci95,
            sum(share > 0.5 for share in hidden) > len(rows) / 2,
        ),
        Claim(
            f"PCS and VRO are inversely correlated, benign and adversarial inputs together{of}",
            "tentatively",
            ", ".join(f"{title(one)} {slope:+.2f}" for one, slope in zip(results, slopes, strict=True)),
            student(slopes).ci95 if len(slopes) > 1 else None,
            all(slope < 0 for slope in slopes),
        ),
    ]


def _benign(results: Sequence[Result]) -> Claim:
    shares = [result["benign"]["patterns"]["HL"] for result in results]
    return Claim(
        "Benign inputs have high confidence and low uncertainty: HL",
        "usually",
        ", ".join(f"{title(one)} {share:.0%}" for one, share in zip(results, shares, strict=True)) + " of them",
        student(shares).ci95 if len(shares) > 1 else None,
        all(share > 0.5 for share in shares),
    )


def _stable(results: Sequence[Result]) -> Claim:
    """Compare the mean VRO of every group after 20 draws with that after all of them."""
    groups = [result["benign"] for result in results]
    groups += [figures for extreme in EXTREMES for *_, figures in rows_of(results, extreme)]
    apart = [abs(group["vro_by_draws"]["20"] - group["vro"][0]) for group in groups]
    return Claim(
        "VRO does not depend on the number of draws T above 20",
        "not sensitive",
        f"the mean VRO of a group changes by {sum(apart) / len(apart):.4f} on average, {max(apart):.4f} at most, "
        "from 20 draws to all",
        student(apart).ci95,
        max(apart) < 0.05,
    )
