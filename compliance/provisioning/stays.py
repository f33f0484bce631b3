"""The facts by which people and teams' members come and go, as identity providers and spreadsheets make them.

Named once for both: few files may name a kind of fact.
"""

from compliance.facts.lines.kinds import EmployeeJoined as Joining
from compliance.facts.lines.kinds import EmployeeLeft as Leaving
from compliance.facts.lines.kinds import TeamJoined as ComingIn
from compliance.facts.lines.kinds import TeamLeft as GoingOut

__all__ = ["ComingIn", "GoingOut", "Joining", "Leaving"]
