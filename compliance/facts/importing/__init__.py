"""Facts files in (design 3): read, staged, recorded through the one write path of `facts.recording`."""

from compliance.facts.importing.importing import Report, ReportedLine, import_facts

__all__ = ["Report", "ReportedLine", "import_facts"]
