"""How often a model is right, and whether that makes sense."""
