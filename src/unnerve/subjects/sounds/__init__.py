"""Sounds: how waveforms become what networks look at."""
