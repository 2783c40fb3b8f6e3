"""Gradients that torch makes slowly, made in other ways."""
