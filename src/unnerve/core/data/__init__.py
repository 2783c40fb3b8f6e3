"""What a model is tested on, and how that was opened: examples, ranges, features, provenance."""
