"""Template tags of this room: where a course is asked for to be kept, and how much of a device it takes."""

from django import template

from compliance.interfaces.learner.offline import keeping
from compliance.interfaces.learner.player.sitting import Sitting

register = template.Library()


@register.filter
def keep_address(sitting: Sitting) -> str:
    """Where the page asks for what is to be kept."""
    return keeping.keep_address(sitting.place)


@register.filter
def keep_bytes(sitting: Sitting) -> int:
    """About how many bytes that is."""
    return keeping.size_of(sitting)
