"""The verbs of the command: one thin file each."""
