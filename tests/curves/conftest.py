"""Gates for the tests of this room."""

from gates import definition, gate_of, relation  # noqa: F401  (fixtures)
