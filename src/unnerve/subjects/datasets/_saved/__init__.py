"""Data sets that the library ``datasets`` of Hugging Face saved; read without it."""
