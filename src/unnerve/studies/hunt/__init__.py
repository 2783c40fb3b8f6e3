"""Hunting for failing inputs, with one method or several."""
