"""Sounds in a report: drawn and playable."""
