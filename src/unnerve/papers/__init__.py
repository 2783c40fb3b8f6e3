"""Each paper's tables, regenerated from the studies."""
