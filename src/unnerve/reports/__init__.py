"""What a study found, as HTML and as text."""
