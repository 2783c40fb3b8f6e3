"""Looks at a model, never changes an input."""
