"""Attacks that know the defence."""
