"""The attack of Carlini and Wagner in L2 (IEEE S&P 2017)."""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.data.ranges import bounds
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ball, check_step, check_steps
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks._row_sums import row_sums
from unnerve.generate.attacks._selection import broadcast_over, selected
from unnerve.generate.regions.linf import Linf

__all__ = ["CarliniWagner"]


@dataclass(frozen=True)
class CarliniWagner:
    r"""Minimise the length of the change and the distance from the goal together, for the best weight of the two.

    .. math:: \|x' - x\|_2^2 + c \max(f(x'), -\kappa), \quad x' = (tanh(w) + 1) / 2

    by Adam over w, for values in [0, 1]; values of another range are measured in shares of it. f is how far the answer
    is from the goal in logits (f6). The constant c is found by binary search. Each seed's nearest success is kept,
    and proposed when there is a nearer one that lies in the region.

    Parameters
    ----------
    steps : int
        Steps for each constant, >= 1.
    searches : int
        Constants that are tried, >= 1.
    constant : float
        The first of them, > 0 (c).
    confidence : float
        Logits by which the goal must be reached, >= 0 (kappa).
    step : float
        Adam's step length, > 0.
    abort_early : bool
        Go on to the next constant if a tenth of the steps, and no fewer than 50, lowered the loss by less than 1 %.

    References
    ----------
    Carlini and Wagner, "Towards Evaluating the Robustness of Neural Networks", 2017, Section VI-A.
    """

    # Differs: the paper takes 10,000 steps. A tenth of them is what two processors can do; the setting is there.
    steps: int = 1000
    searches: int = 9
    constant: float = 1e-3
    confidence: float = 0.0
    step: float = 0.01
    abort_early: bool = True
    needs = Capability.GRADIENTS
    width = 1
    regions = BALLS
    draws = False
    start_cost = 0
    small = ("steps=20,searches=2,constant=1,step=0.05",)

    def __post_init__(self) -> None:
        check_steps(self.steps)
        check_step(self.step)
        if self.searches < 1:
            raise InvalidSetting(f"searches must be >= 1, got {self.searches}")
        if not self.constant > 0:
            raise InvalidSetting(f"constant must be > 0, got {self.constant}")
        if not self.confidence >= 0:
            raise InvalidSetting(f"confidence must be >= 0, got {self.confidence}")

    def step_cost(self, classes: int) -> int:
        """Return the most queries per seed and step: what had reached the goal may need a pass more, for gradients."""
        return 3

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield every point that reaches the goal and is nearer to its seed than those before."""
        region, goal = ball(self, space), Goal.of(seeds)
        rows, centre = torch.arange(len(seeds)), seeds.batch.inputs
        low, high = bounds(region, "carlini_wagner")
        half, middle = (high - low) / 2, (high + low) / 2
        # Differs: the authors begin a millionth inside the range, whose ends lie infinitely far away. From a hundredth
        # the same steps lead farther (measured: after 100 of them the median change is a fifth shorter on MNIST).
        # In double precision: the last bit of a single-precision atanh depends on the number's place in the vector.
        start = ((centre - middle) / half).mul_(0.99).double().atanh_().float()
        descent = _Descent.begun(start, self.constant)
        for step in range(self.steps * self.searches):
            bent = descent.w.tanh()
            x = bent.mul(half).add_(middle).clamp_(low, high)
            if isinstance(region, Linf):
                # Differs: the shortest change seldom lies in a cube; this one follows the gradient at its surface.
                x = region.project(x, centre)
            far, gradient = self._looked(subject.model, rows, x, goal, descent.resting)
            change, missing = (x - centre).div_(seeds.span), (far + self.confidence).clamp_min_(0)
            length = row_sums(change.square())
            nearer = descent.noted((missing == 0) & (far < 0), length)
            gradient.mul_(broadcast_over(descent.constant * (missing > 0), x)).add_(change, alpha=2 / seeds.span)
            descent.step(gradient.mul_(half).mul_(bent.square_().neg_().add_(1)), self.step)
            descent.settle(length + descent.constant * missing, self)
            inside = nearer.nonzero().flatten()
            inside = inside[region.contains(x[inside], centre[inside])]
            wanted = yield Candidates(x[inside], rows[inside], step)
            keep = wanted[rows] & (descent.search < self.searches)
            if not bool(keep.all()):
                rows, centre, goal, descent = rows[keep], centre[keep], goal[keep], selected(descent, keep)
            if len(rows) == 0:
                return

    def _looked(self, model: Metered, rows: Tensor, x: Tensor, goal: Goal, resting: Tensor) -> tuple[Tensor, Tensor]:
        """Return how far from the goal (N,), and the gradient of that (N, ...), for inputs that are not there yet.

        Inputs that had reached it a step ago, ``resting``, are looked at without one first: most are there still.
        """
        far, gradient, quiet = torch.empty(len(x)), torch.zeros_like(x), resting.nonzero().flatten()
        if len(quiet):
            far[quiet] = goal.distance(model.of(rows[quiet]).observe(x[quiet]), goal.classes[quiet])
            resting = resting & (far <= -self.confidence)
        busy = (~resting).nonzero().flatten()
        if len(busy):
            classes = goal.classes[busy]
            far[busy], gradient[busy], _ = model.of(rows[busy]).gradient(x[busy], goal.distance, classes)
        return far, gradient


@dataclass(eq=False)
class _Descent:
    """How far Adam and the search for the constant are, seed by seed: no seed waits for others with its next constant.

    Parameters
    ----------
    start, w, mean, square : Tensor of shape (N, ...)
        Where a descent begins and where it is; Adam's two averages.
    taken, search : int64 Tensor of shape (N,)
        Steps taken with this constant; constants done with.
    constant, lower, upper : Tensor of shape (N,)
        The constant, the largest that failed and the smallest that succeeded.
    least, before, nearest : Tensor of shape (N,)
        The least loss with this constant, and what it was when progress was last looked at; squared length of the
        nearest success.
    succeeded, resting : bool Tensor of shape (N,)
        Whether this constant has led to the goal, and whether the last step has.
    """

    start: Tensor
    w: Tensor
    mean: Tensor
    square: Tensor
    taken: Tensor
    search: Tensor
    constant: Tensor
    lower: Tensor
    upper: Tensor
    least: Tensor
    before: Tensor
    nearest: Tensor
    succeeded: Tensor
    resting: Tensor

    @classmethod
    def begun(cls, w: Tensor, constant: float) -> "_Descent":
        count = len(w)
        return cls(
            start=w,
            w=w.clone(),
            mean=torch.zeros_like(w),
            square=torch.zeros_like(w),
            taken=torch.zeros(count, dtype=torch.int64),
            search=torch.zeros(count, dtype=torch.int64),
            constant=torch.full((count,), constant),
            lower=torch.zeros(count),
            upper=torch.full((count,), torch.inf),
            least=torch.full((count,), torch.inf),
            before=torch.full((count,), torch.inf),
            nearest=torch.full((count,), torch.inf),
            succeeded=torch.zeros(count, dtype=torch.bool),
            resting=torch.zeros(count, dtype=torch.bool),
        )

    def noted(self, there: Tensor, length: Tensor) -> Tensor:
        """Keep account of successes; say which are nearer than any before: bool (N,)."""
        self.resting, self.succeeded = there, self.succeeded | there
        nearer = there & (length < self.nearest)
        self.nearest = torch.where(nearer, length, self.nearest)
        return nearer

    def step(self, gradient: Tensor, length: float) -> None:
        """Take one step of Adam (Kingma and Ba, 2015), each seed at its own time."""
        self.taken += 1
        first, second = (1 - rate ** self.taken.double() for rate in (0.9, 0.999))
        self.mean.lerp_(gradient, 0.1)
        self.square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        spread = self.square.sqrt().mul_(broadcast_over(second.rsqrt().float(), gradient)).add_(1e-8)
        self.w.sub_(spread.reciprocal_().mul_(self.mean).mul_(broadcast_over((length / first).float(), gradient)))

    def settle(self, loss: Tensor, settings: CarliniWagner) -> None:
        """Begin the next constant for seeds that took all steps with this one, or came no farther lately."""
        self.least = self.least.minimum(loss)
        # Differs: not sooner than after 50 steps, which Adam may take to turn round beyond the border; and a hundredth
        # must be gained, not a ten-thousandth: 0.4 of the queries for a change 0.1 % longer (measured).
        looked = self.taken % max(50, settings.steps // 10) == 0
        stuck = looked & (self.least > 0.99 * self.before) & settings.abort_early
        self.before = torch.where(looked, self.least, self.before)
        over = stuck | (self.taken == settings.steps)
        if not bool(over.any()):
            return
        self.upper = torch.where(over & self.succeeded, self.constant, self.upper)
        self.lower = torch.where(over & ~self.succeeded, self.constant, self.lower)
        between = torch.where(self.upper.isinf(), self.constant * 10, (self.lower + self.upper) / 2)
        self.constant = torch.where(over, between, self.constant)
        self.w[over], self.mean[over], self.square[over] = self.start[over], 0, 0
        self.taken[over], self.succeeded[over], self.resting[over] = 0, False, False
        self.least[over], self.before[over] = torch.inf, torch.inf
        self.search += over
