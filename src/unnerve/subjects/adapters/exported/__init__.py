"""Programs of torch.export as modules whose operations are layers: neurons can be watched, and dropout drawn."""
