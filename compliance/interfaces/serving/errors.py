"""Errors of this room."""

from compliance.errors import ComplianceError


class BodyRefusedError(ComplianceError):
    """A request's body was not taken; the request is answered with `status`."""

    def __init__(self, status: int) -> None:
        super().__init__(f"The body was refused with status {status}.")
        self.status = status
