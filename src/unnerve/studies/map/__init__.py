"""Confidence and dropout uncertainty."""
