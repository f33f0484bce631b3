"""The facts by which people come and go, as identity providers and spreadsheets make them: named once for both."""

from compliance.facts.lines import EmployeeJoined as Joining
from compliance.facts.lines import EmployeeLeft as Leaving

__all__ = ["Joining", "Leaving"]
