"""Fuzzers: hunters whose seeds share a corpus, a queue or a coverage map."""
