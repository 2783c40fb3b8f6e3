"""The report of how well defences hold."""
