"""How suspect an input is; higher is more suspect."""
