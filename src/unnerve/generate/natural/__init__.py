"""Hunters over natural changes: light, blur, rotation, compression, noise."""
