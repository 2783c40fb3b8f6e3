"""Whether data are those that the seeds of a campaign are from."""

import torch

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["check_same_data"]


def check_same_data(data: Examples, campaign: Campaign) -> None:
    """Raise unless the campaign's first seeds are in the data, under the same ids and with the same values.

    The first block is enough: it is other data, or another way of opening them, that must not pass for the hunted ones.
    """
    names, inputs = next(campaign.store.seed_blocks())
    places = {name: row for row, name in enumerate(data.ids())}
    rows = [places[name] for name in names if name in places]
    if len(rows) == len(names) and torch.equal(data.batch(rows).inputs, torch.from_numpy(inputs)):
        return
    raise InvalidSetting(
        f"{data.name} must be the data of {campaign.store.path}, {campaign.plan.data.name}, opened as they were: its "
        "seeds are not among them"
    )
