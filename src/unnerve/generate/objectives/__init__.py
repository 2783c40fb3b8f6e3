"""Goals for a search; they see no search."""
