"""95 % intervals, one kind a file; docs/explanation/intervals.md says which is used where and how often it covers."""
