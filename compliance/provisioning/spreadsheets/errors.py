"""What is wrong with a spreadsheet as a whole, or with importing it."""

from compliance.errors import ComplianceError


class SpreadsheetError(ComplianceError):
    """Base class of what refuses a spreadsheet of people: nothing of it is recorded."""


class UnreadableFileError(SpreadsheetError):
    """The file is no table that can be read within the limits."""


class TooLargeError(UnreadableFileError):
    """The file has more rows, or unpacks to more, than may be read here: a page takes less than the worker."""


class ColumnsError(SpreadsheetError):
    """The columns do not say of whom the rows speak."""


class TooManyLeaveError(SpreadsheetError):
    """The file would end so many employments that somebody has to confirm their number."""


class CompanyChangedError(SpreadsheetError):
    """What was confirmed is not what would be recorded now: the company has changed meanwhile."""
