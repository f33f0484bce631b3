"""The facts by which people join and leave the company and its teams, for identity providers and spreadsheets alike.

They are named here for both, because few files may name a kind of fact.
"""

from compliance.facts.lines.kinds import EmployeeJoined as Joining
from compliance.facts.lines.kinds import EmployeeLeft as Leaving
from compliance.facts.lines.kinds import TeamJoined as ComingIn
from compliance.facts.lines.kinds import TeamLeft as GoingOut

__all__ = ["ComingIn", "GoingOut", "Joining", "Leaving"]
