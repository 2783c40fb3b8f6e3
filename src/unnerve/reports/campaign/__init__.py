"""The report of campaigns: what hunts and arenas found."""
