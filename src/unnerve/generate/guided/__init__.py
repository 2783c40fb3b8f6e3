"""Hunters that join a search and an objective."""
