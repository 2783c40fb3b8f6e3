"""What a campaign found: read, shown, exported."""
