"""The report of which neurons react to errors."""
