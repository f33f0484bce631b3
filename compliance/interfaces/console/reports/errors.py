"""Errors of reports."""

from compliance.interfaces.console.errors import ConsoleError


class ReportError(ConsoleError):
    """Root of this room's errors."""


class CannotReportError(ReportError):
    """No report can be made of these moments, or not now."""
