"""The gallery: mechanisms with one flaw each, beside the valid ones they differ from. NOT PRIVATE, for the audit only.

Each function takes a table and a source of noise. `flawed_x` differs from `valid_x` in the line that its comment names.
"""
