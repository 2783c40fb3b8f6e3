"""How much of a network a set of inputs exercises; more is more, nothing says that it is better."""
