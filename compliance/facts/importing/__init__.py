"""Imports of facts files: lines are read, staged, and recorded through the one write path of `facts.recording`."""

from compliance.facts.importing.importing import (
    Progress,
    Report,
    import_facts,
    import_lines,
    wait_for_other_imports,
)
from compliance.facts.importing.reported import ReportedLine

__all__ = ["Progress", "Report", "ReportedLine", "import_facts", "import_lines", "wait_for_other_imports"]
