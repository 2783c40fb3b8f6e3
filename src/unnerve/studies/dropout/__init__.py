"""Dropout for studies that draw: its settings, its places and its rate."""
