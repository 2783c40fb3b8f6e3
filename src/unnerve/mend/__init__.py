"""Changes the model, or what it sees."""
