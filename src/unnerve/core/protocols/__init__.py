"""Protocols of methods that few parts of the library know."""
