"""Fixed changes of every input, before the model sees it: ``MODEL|jpeg:75``."""
