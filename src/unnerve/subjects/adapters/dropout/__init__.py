"""Monte-Carlo dropout of a module: draws under masks that are values, with the bits of whole passes."""
