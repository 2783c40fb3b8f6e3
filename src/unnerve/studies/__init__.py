"""The jobs behind the verbs, one each."""
