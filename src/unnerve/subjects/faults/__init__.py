"""Training gone wrong on purpose: to learn what a test method can see."""
