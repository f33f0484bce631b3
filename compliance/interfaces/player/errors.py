"""Errors in what a page of the player sends."""

from compliance.errors import ComplianceError


class PlayerError(ComplianceError):
    """Root of this room's errors."""


class UnknownFieldError(PlayerError):
    """A form names a question or a number that no page of the player would send."""


class OtherLessonError(PlayerError):
    """A form was drawn from another content of the lesson than the one that is taken now."""
