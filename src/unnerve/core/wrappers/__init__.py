"""Models around models."""
