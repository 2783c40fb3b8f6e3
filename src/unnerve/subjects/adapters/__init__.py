"""Ways to take a model under test."""
