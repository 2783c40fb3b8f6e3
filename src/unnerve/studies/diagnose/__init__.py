"""What is wrong with how a model was trained."""
