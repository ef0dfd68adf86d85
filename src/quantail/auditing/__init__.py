"""The audit: every mechanism against the epsilon that it claims, and the checks against known flaws.

Four parts, each readable by itself:

- *exact* (`lattices`, `counting`, `panel_counts`, `whole_tables`, `whole_panels`): the law of production code on small
  tables and panels, enumerated for all neighbours, and whole fits replayed on a neighbour;
- *statistical* (`trials`): many runs with secure noise and lower confidence bounds on epsilon;
- *laws* (`goodness`): the gate's draws against the analytic law;
- *controls* (`negative_controls`, `flawed`): mechanisms with one flaw each, which these checks must catch.

The tests of `tests/privacy` use the same enumeration on more cases.
"""

from quantail.auditing.document import write_audit
from quantail.auditing.findings import MEANING, PARTS, AuditResult, Curve, Finding, Part
from quantail.auditing.run import audit

__all__ = ["MEANING", "PARTS", "AuditResult", "Curve", "Finding", "Part", "audit", "write_audit"]
