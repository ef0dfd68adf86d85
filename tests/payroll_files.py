"""A payroll table as text, its schema as TOML, and a value in it that must never show up where it does not belong."""

CANARY = 987654.25

SCHEMA = """\
[table]
name = "payroll"
unit = "firm"
neighbours = "replace-one"

[[column]]
name = "jobs"
type = "integer"
lower = 0
upper = 5000
grid = "log"
source = "size classes of the register"

[[column]]
name = "pay"
type = "numeric"
lower = 0
upper = 1000000
grid = "log"
decimals = 2
source = "programme rules"
"""


def payroll_text(count: int = 200, *first: str) -> str:
    """Return a CSV file of so many rows, after those that are given."""
    lines = ["jobs,pay", *first]
    for place in range(count):
        jobs = 1 + (place * place) % 97
        lines.append(f"{jobs},{jobs * 310.5 + (place % 13) * 17.25:.2f}")
    return "\n".join(lines) + "\n"
