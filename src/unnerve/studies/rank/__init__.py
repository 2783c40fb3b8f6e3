"""Ordering inputs, and proving the order."""
