"""Files: written whole or not at all, locked, bounded, and printed without what a terminal would obey."""
