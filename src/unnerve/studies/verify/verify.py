"""Verify: whether a campaign is what it says, byte by byte and, with the model, finding by finding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unnerve.campaign.outcome import Outcome
from unnerve.campaign.plan import Shard, StoredPlan, shards
from unnerve.campaign.sealing.notes import NOTES, DamagedNote
from unnerve.campaign.store import DamagedHeader, Store
from unnerve.core.data.versions import other_versions
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.core.naming.specification import several
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.core.subject import Subject
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.verify._run_again import no_longer_true, subject_of
from unnerve.studies.verify._stored_claims import Claims, batch_of, claims_of
from unnerve.studies.verify.verification import Problem, Verification

__all__ = ["verify"]


def verify(
    campaign: str | Path | Campaign,
    model: Any = None,
    *,
    peers: Any = None,
    ids: str | Sequence[str] | None = None,
    progress: ShowProgress = None,
) -> Verification:
    """Check what a campaign claims: structure, hashes, region and distances; with its model, every finding again.

    Nothing that the campaign names is run, and nothing in its folder is changed.

    Parameters
    ----------
    campaign : Campaign, or where it is
    model : anything that ``unnerve.model`` takes, optional
        The model that the campaign was run with; another one is refused.
    peers : str, or sequence of models, optional
        Those of the campaign, if its oracle compares with any.
    ids : str, or list of str, optional
        Only the findings with these ids, as a report copies them, with commas between them; files are checked whole.
    progress : bool or callable (done, total), optional
        True shows a bar.

    Returns
    -------
    Verification
        With ``held``, and ``problems`` if it does not.

    Examples
    --------
    >>> import unnerve
    >>> unnerve.verify("runs/first", "zoo:lenet5").held
    True
    """
    if model is None and peers is not None:
        raise InvalidSetting("--peers are for running findings again, with --model")
    store = campaign.store if isinstance(campaign, Campaign) else Store(str(campaign))
    try:
        header, plan = store.header(), store.plan()
    # Without the plan nothing else can be judged: that is the verdict, not an error of the user.
    except DamagedHeader as problem:
        return Verification(store.path, 0, 0, None, (Problem("campaign.json", problem.reason),))
    claims, notes = claims_of(plan)
    check = _Check(store, plan, claims, None if ids is None else frozenset(several(ids)))
    check.look_at_notes()
    # The model is opened after the seeds were checked: their shape is what it will be asked with.
    if check.seeds_hold() and model is not None:
        shape = next(store.seed_blocks())[1].shape[1:]
        check.subject = subject_of(model, peers, plan, claims, tuple(shape))
    planned = shards(plan)
    stored = store.finished(planned)
    with steps_shown(progress, "verifying", "shards") as show:
        for done, shard in enumerate(stored, start=1):
            check.look_at(shard)
            show(done, len(stored))
    if check.ids is not None and (missing := sorted(check.ids - check.met)):
        raise InvalidSetting(f"ids must be of findings of {store.path}, got '{missing[0]}'")
    if len(stored) < len(planned):
        notes.append(f"{len(planned) - len(stored):,} of {len(planned):,} shards are not finished")
    elif check.unmeasured:
        notes.append("stability.json is not there: whether the model answers steadily is not known; --resume asks it")
    if other := other_versions(header["versions"]):
        notes.append(other)
    again = None if check.subject is None else check.run_again
    return Verification(store.path, len(stored), check.findings, again, tuple(check.problems), tuple(notes))


@dataclass
class _Check:
    """A campaign that is being checked, and what was found wrong so far."""

    store: Store
    plan: StoredPlan
    claims: Claims
    ids: frozenset[str] | None = None
    subject: Subject[Classifier] | None = None
    problems: list[Problem] = field(default_factory=list)
    findings: int = 0
    run_again: int = 0
    met: set[str] = field(default_factory=set)
    unmeasured: bool = False

    def seeds_hold(self) -> bool:
        """Look at the seeds, and for files that nobody planned; without seeds no finding can be measured."""
        self.problems += [Problem(name, "it is not planned") for name in self.store.strangers()]
        try:
            self.labels = self.store.labels()
        except InvalidData as problem:
            self.problems.append(self._of("seeds.parquet", problem))
            self.labels = {}
        return bool(self.labels)

    def _of(self, file: str, problem: InvalidData) -> Problem:
        """Return what is wrong with a file, without naming it twice."""
        return Problem(file, str(problem).removeprefix(f"{self.store.path}: {file} "))

    def look_at_notes(self) -> None:
        """Check what was worked out from the campaign: stability and the like."""
        for name in NOTES:
            try:
                self.unmeasured |= self.store.noted(name) is None and name == "stability"
            except DamagedNote as problem:
                self.problems.append(self._of(f"{name}.json", problem))

    def look_at(self, shard: Shard) -> None:
        """Check one shard and its findings."""
        name = f"shards/{shard.name}.parquet"
        try:
            # Whole, and by way of the store: its seal, its owner, and the content hash of every input are checked.
            outcome = self.store.outcome(shard)
        except InvalidData as problem:
            self.problems.append(Problem(name, getattr(problem, "reason", str(problem))))
            return
        if self.ids is not None:
            outcome = replace(outcome, findings=tuple(one for one in outcome.findings if one[0].id in self.ids))
            self.met |= {one.id for one, _ in outcome.findings}
        self.findings += len(outcome.findings)
        if self.labels:
            self.problems += [Problem(f"{name}, finding {one}", reason) for one, reason in self._wrong(outcome)]

    def _wrong(self, outcome: Outcome) -> Iterator[tuple[str, str]]:
        owners = list(dict.fromkeys(one.seed_id for one, _ in outcome.findings))
        inputs = self.store.seeds(owners)
        foreign = [name for name in owners if name not in inputs]
        # Distances are measured from seeds, so one that is missing ends the look at this shard.
        if foreign or not owners:
            yield from ((name, "its seed is not among those of the campaign") for name in foreign)
            return
        batch = batch_of(owners, inputs, self.labels, self.plan)
        place = {name: row for row, name in enumerate(owners)}
        sound = []
        for one, _ in outcome.findings:
            row = place[one.seed_id]
            reason = self.claims.broken(one, batch.inputs[row : row + 1])
            if reason is None:
                # What lies outside its region is wrong already, and need not be run.
                sound.append(one)
            else:
                yield one.id, reason
        if self.subject is not None and sound:
            self.run_again += len(sound)
            for one, reason in no_longer_true(self.subject, batch, sound, self.claims):
                yield one.id, reason
