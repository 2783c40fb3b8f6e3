"""Checking what a campaign claims."""
