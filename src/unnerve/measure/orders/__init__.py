"""Orders of test inputs by what they cover; one file each."""
