"""What is wrong with a spreadsheet as a whole, or with importing it."""

from compliance.errors import ComplianceError


class SpreadsheetError(ComplianceError):
    """Base class of the errors that refuse a spreadsheet of people as a whole: nothing of it is recorded."""


class UnreadableFileError(SpreadsheetError):
    """The file is not a table that can be read within the limits."""


class TooLargeError(UnreadableFileError):
    """The file has too many rows, or unpacks to too much. The limits of a page are lower than those of the worker."""


class ColumnsError(SpreadsheetError):
    """No column identifies the person of a row."""


class TooManyLeaveError(SpreadsheetError):
    """The file would end so many employments that somebody has to confirm their number."""


class CompanyChangedError(SpreadsheetError):
    """The company has changed since the plan was confirmed, so that another plan would be recorded."""
