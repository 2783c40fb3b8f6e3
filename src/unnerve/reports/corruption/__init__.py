"""The report of what natural changes do to a model."""
