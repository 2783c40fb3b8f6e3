"""Hunters that try at random."""
