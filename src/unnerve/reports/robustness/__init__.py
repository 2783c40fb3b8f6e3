"""The report of how robust a model is."""
