"""The report of a reproduced paper."""
