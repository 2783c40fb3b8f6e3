"""Seals of what a campaign stores, and what is checked by them."""
