"""Spaces around a seed in which changed inputs may lie."""
