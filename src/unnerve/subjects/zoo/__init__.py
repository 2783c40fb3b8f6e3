"""Networks of the papers, one architecture a file."""
