"""The experiments behind the two DeepSensor papers, one a file: what it finds, and how."""
