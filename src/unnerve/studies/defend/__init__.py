"""How well defences hold."""
