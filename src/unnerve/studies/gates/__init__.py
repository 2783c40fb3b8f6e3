"""Limits that a user states, and whether a run held them."""
