"""The report of a map of confidence and uncertainty."""
