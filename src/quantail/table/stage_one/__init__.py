"""Stage one: every column by itself, its curve or counts, with slopes on the numbers before it."""
