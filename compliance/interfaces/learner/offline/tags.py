"""Template tags of this room: the address that lists what to keep of a course, and how large it is."""

from django import template

from compliance.interfaces.learner.offline import keeping
from compliance.interfaces.learner.player.sitting import Sitting

register = template.Library()


@register.filter
def keep_address(sitting: Sitting) -> str:
    """The address that lists what to keep."""
    return keeping.keep_address(sitting.place)


@register.filter
def keep_bytes(sitting: Sitting) -> int:
    """About how many bytes that is."""
    return keeping.size_of(sitting)
