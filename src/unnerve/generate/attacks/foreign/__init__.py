"""Attacks that somebody else wrote."""
