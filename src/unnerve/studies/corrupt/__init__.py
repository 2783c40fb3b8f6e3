"""How much of its accuracy a model keeps when inputs change naturally."""
