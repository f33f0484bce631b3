"""The root class of every error that this product raises on purpose.

Each room has an `errors.py` with one class per error below this root. Each interface turns them into HTTP statuses,
exit codes or sentences in one place, and catches nothing else there.
"""


class ComplianceError(Exception):
    """Root of all errors raised on purpose. `str(error)` is one plain sentence without personal data."""
