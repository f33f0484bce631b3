"""The one root of every error this product raises on purpose.

Each room has its own `errors.py` with one class per error below this root. An interface turns them into HTTP
statuses, exit codes or sentences in one place of its own; nothing else is caught there.
"""


class ComplianceError(Exception):
    """Root of all errors raised on purpose. `str(error)` is one plain sentence without personal data."""
