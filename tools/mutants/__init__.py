"""Mutation testing of what privacy rests on: small changes that must not survive the tests.

Every mutant is one change to one file with a reason and the tests that must notice it (`*.toml`). `make mutants` makes
each change in a throw-away copy of the tree and runs these tests: a mutant that survives is a gap in the tests.
"""
