"""Hunters that follow gradients, or imitate that."""
