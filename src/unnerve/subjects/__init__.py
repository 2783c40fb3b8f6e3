"""What is tested: models and data."""
