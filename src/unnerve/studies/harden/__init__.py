"""Training a network on what was found, and proof of what that changed."""
