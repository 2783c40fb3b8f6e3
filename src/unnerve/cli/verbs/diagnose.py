"""``unnerve diagnose``: whether a model was trained well."""

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, use_workers
from unnerve.studies.diagnose.settings import DiagnoseSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["diagnose"]


@verb(DiagnoseSettings, ModelOptions, DataOptions)
def diagnose(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Say whether a model was trained on polluted data, too little or too much, or that nothing stands out.

    \b
    unnerve diagnose zoo:lenet5 mnist5k
    unnerve diagnose zoo:lenet5 mnist:DATA/mnist --weights net.safetensors --train mnist:DATA/mnist
    """
    from unnerve.cli.show import say, say_json
    from unnerve.reports.parts.commands import command_figure, following_command
    from unnerve.studies.diagnose.diagnose import diagnose as diagnosed

    use_workers(workers)
    subject, examples = opened(model, data, given)
    found = diagnosed(subject, examples, settings=given[DiagnoseSettings], progress=shows_progress())
    lines = [*([] if found.accuracy is None else found.accuracy.lines()), found.headline()]
    # Inputs of other classes that become the polluted one show what the patches did.
    aim = {} if found.polluted_class is None else {"target": str(found.polluted_class)}
    if following := following_command(found.provenance, "hunt", **aim, out="runs/hunt"):
        lines.append(f"Next: {following}")
    say_json(found.summary() | command_figure(found.provenance)) if json else say("\n".join(lines))
