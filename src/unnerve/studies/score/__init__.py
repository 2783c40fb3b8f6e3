"""How robust a model is: distances that its answers bear, and the share of inputs that attacks break."""
