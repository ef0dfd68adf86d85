"""The first method for tables: every column a curve on top of single effects of earlier ones."""
