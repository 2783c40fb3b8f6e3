"""Ways to look for good points, batched over seeds; they see neither a model nor a goal."""
