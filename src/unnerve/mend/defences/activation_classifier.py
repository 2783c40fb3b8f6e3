"""A classifier of activations that tells adversarial from clean inputs (Gong et al., 2017; Metzen et al., 2017)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.model import Capability, Classifier, Differentiable, Instrumented, Observation, Want, require
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.attacks.bim import BIM
from unnerve.generate.regions.linf import Linf

__all__ = ["ActivationClassifier"]

_STEPS = 20
_TRAINED = 400
_SIZES = (64, 32, 2)


@dataclass(frozen=True)
class ActivationClassifier:
    """A small network that was trained on what the model makes of clean inputs and of attacks on them.

    The attacks are those of ``bim``: of each clean input the first wrong answer on the way, near the border, and the
    last one. It knows no other attack and no uncommon input.

    Parameters
    ----------
    layer : str or None
        Whose neurons it looks at, as ``unnerve inspect`` lists them; the logits if None.
    radius : float or None
        Of the attacks, linf, as a share of the range of values; 0.3 for grey images and 8/255 for others if None.
    seed : int
        Of its weights.

    References
    ----------
    Gong et al., "Adversarial and Clean Data Are Not Twins", 2017.
    """

    layer: str | None = None
    radius: float | None = None
    seed: int = 0
    # Not compared, since tensors have no single answer to ==: two detectors are equal by their settings.
    learnt: tuple[Tensor, ...] = field(default=(), metadata={"setting": False}, compare=False, repr=False)
    needs = Capability.GRADIENTS

    def __post_init__(self) -> None:
        if self.radius is not None and not self.radius > 0:
            raise InvalidSetting(f"radius must be > 0, got {self.radius}")

    @property
    def knowledge(self) -> dict[str, object]:
        """What it learnt: means and deviations of activations, then the weights and biases of each layer."""
        return {"tensors": [one.tolist() for one in self.learnt]}

    def recalled(self, knowledge: Mapping[str, Any]) -> "ActivationClassifier":
        """Return the detector with its weights."""
        return replace(self, learnt=tuple(torch.tensor(one) for one in knowledge["tensors"]))

    def check(self, model: Classifier, data: Examples) -> None:
        """Raise unless the model has the layer."""
        if self.layer is not None:
            self._columns(model, data.batch([0]).inputs)

    def calibrated(self, subject: Subject[Classifier], clean: Examples) -> "ActivationClassifier":
        """Return the detector, trained on clean inputs that the model gets right and on attacks on them."""
        batch = clean.batch(range(len(clean)))
        right = batch.labels is None or subject.model.observe(batch.inputs).predicted == batch.labels
        rows = torch.ones(len(clean), dtype=torch.bool) if isinstance(right, bool) else right
        used = clean.batch(rows.nonzero().flatten().tolist())
        attacked = self._attacked(subject.model, used, clean.value_range)
        if not len(attacked):
            raise InvalidData(
                f"{clean.name}: no attack within the radius succeeds, so activation_classifier has nothing to learn "
                "from; give a larger radius"
            )
        benign, wrong = (self._activations(subject.model, one) for one in (used.inputs, attacked))
        return replace(self, learnt=_trained(benign, wrong, self.seed))

    def suspicion(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the log odds of being adversarial, (N,)."""
        if not self.learnt:
            raise InvalidSetting("activation_classifier is not calibrated: call calibrated with clean inputs")
        said = _answers(self.learnt, self._activations(subject.model, x))
        return (said[:, 1] - said[:, 0]).double()

    def suspicion_gradient(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the gradient of the log odds, for attacks that know it: (N, ...)."""
        model = subject.model
        require(model, self.needs, "activation_classifier")
        assert isinstance(model, Differentiable)
        want = Want.LOGITS if self.layer is None else Want.NEURONS
        columns = slice(None) if self.layer is None else self._columns(model, x)

        def odds(seen: Observation, _: Tensor) -> Tensor:
            said = _answers(self.learnt, (seen.logits if self.layer is None else seen.neurons[:, columns]).float())
            return said[:, 1] - said[:, 0]

        return model.gradient(x, odds, torch.zeros(len(x)), want)[1]

    def _activations(self, model: Classifier, x: Tensor) -> Tensor:
        if self.layer is None:
            return model.observe(x).logits.float()
        return model.observe(x, Want.NEURONS).neurons[:, self._columns(model, x)].float()

    def _columns(self, model: Classifier, x: Tensor) -> slice:
        """Return where the neurons of the layer are among all of them."""
        require(model, Capability.NEURONS, "activation_classifier")
        assert isinstance(model, Instrumented)
        layers = {layer.name: layer.columns for layer in model.neuron_map(x[:1]).layers}
        if self.layer not in layers:
            raise InvalidSetting(f"layer must be one of {', '.join(layers)}, got '{self.layer}'")
        return layers[self.layer]

    def _attacked(self, model: Classifier, batch: Batch, held: tuple[float, float]) -> Tensor:
        """Return the first and the last wrong input on the way of an attack from each input, (K, ...)."""
        require(model, self.needs, "activation_classifier")
        assert isinstance(model, Differentiable)
        share = self.radius or (0.3 if batch.inputs.shape[1] == 1 else 8 / 255)
        seeds = Seeds.observed(model, batch)
        everyone = torch.ones(len(batch), dtype=torch.bool)
        hunt = BIM(_STEPS).hunt(
            Subject(Metered(model, Meter(len(batch)))),
            seeds,
            Linf(share * (held[1] - held[0]), *held),
            Streams(self.seed, batch.ids),
        )
        new, found, last = everyone.clone(), [], batch.inputs[:0]
        candidates = next(hunt, None)
        while candidates is not None:
            wrong = model.observe(candidates.inputs).predicted != seeds.expected
            found.append(candidates.inputs[wrong & new])
            new &= ~wrong
            last = candidates.inputs[wrong]
            try:
                candidates = hunt.send(everyone)
            except StopIteration:
                break
        return torch.cat([*found, last])


def _trained(benign: Tensor, wrong: Tensor, seed: int) -> tuple[Tensor, ...]:
    """Return means, deviations and weights that tell activations (N, U) of both kinds apart."""
    x = torch.cat([benign, wrong])
    mean, deviation = x.mean(dim=0), x.std(dim=0).clamp(min=1e-6)
    target = torch.cat([torch.zeros(len(benign)), torch.ones(len(wrong))]).long()
    # Both kinds count alike, however many there are of each.
    balance = torch.tensor([1 / max(1, len(benign)), 1 / len(wrong)])
    streams, weights, width = Streams(seed, ["activation_classifier"]), [], x.shape[1]
    for number, size in enumerate(_SIZES):
        weights += [streams.normal(number, 0, (size, width))[0] * (2 / width) ** 0.5, torch.zeros(size)]
        width = size
    learnt = [one.requires_grad_(True) for one in weights]
    optimiser = torch.optim.Adam(learnt, 0.01)
    with torch.enable_grad():
        for _ in range(_TRAINED):
            loss = nn.functional.cross_entropy(_answers((mean, deviation, *learnt), x), target, balance)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return (mean, deviation, *(one.detach() for one in learnt))


def _answers(learnt: tuple[Tensor, ...], x: Tensor) -> Tensor:
    mean, deviation, *weights = learnt
    x = (x - mean) / deviation
    for place in range(0, len(weights), 2):
        x = nn.functional.linear(x if place == 0 else x.relu(), weights[place], weights[place + 1])
    return x
