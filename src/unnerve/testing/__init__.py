"""The conformance suite: what is asked of every method, for those who write one."""
