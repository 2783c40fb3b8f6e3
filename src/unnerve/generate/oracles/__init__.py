"""What counts as an error."""
