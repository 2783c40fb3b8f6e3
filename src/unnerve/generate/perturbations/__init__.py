"""Ways to change an input, given by parameters in the unit cube."""
