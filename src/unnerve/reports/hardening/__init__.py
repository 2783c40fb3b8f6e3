"""What hardening changed: the page and the text."""
