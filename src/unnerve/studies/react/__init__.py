"""Which neurons react to errors."""
