"""Eff along the order of a score: the numbers and their chart, on the pages of rankings and of papers."""
