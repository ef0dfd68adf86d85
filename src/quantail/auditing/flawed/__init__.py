"""Mechanisms with one flaw each, beside the valid ones they differ from. NOT PRIVATE, for the audit only.

Each function takes a table and a source of noise. A flawed one differs from its valid counterpart
(`negative_controls.py` pairs them) in the line marked `# flaw`.
"""
