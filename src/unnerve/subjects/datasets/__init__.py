"""Data sets, each one file with one function of the same name that returns examples."""
