"""The report of a ranking proof: what the order of a score is worth."""
