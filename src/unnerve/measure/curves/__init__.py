"""Pure functions of outcomes: how good an order or a detector is."""
