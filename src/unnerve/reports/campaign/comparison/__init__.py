"""Two runs of one plan on two models, compared seed by seed."""
