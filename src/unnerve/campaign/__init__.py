"""Runs hunts at scale and keeps the results."""
