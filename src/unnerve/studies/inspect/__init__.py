"""What a model is, and what can be done with it."""
