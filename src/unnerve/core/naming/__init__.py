"""Names, settings and descriptions of methods: from text to values and back."""
