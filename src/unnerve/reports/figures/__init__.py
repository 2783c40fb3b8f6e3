"""A result without a page of its own: its headline, its figures, its table."""
