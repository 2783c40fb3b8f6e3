"""The one training loop, and recipes for it."""
