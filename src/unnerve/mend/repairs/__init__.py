"""Training that makes a network more robust."""
