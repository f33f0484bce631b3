"""Template tags of the player: addresses of media and styles, a question as its reader sees it, a film's length.

The templates load them under the name `player` (TEMPLATES in the settings), so this room does not have to be an app.
"""

from django import template
from django.template import Context

from compliance.contentfile.course import Question
from compliance.interfaces.player.drawing import Asked, Player

register = template.Library()


@register.simple_tag(takes_context=True)
def media_address(context: Context, media_id: str) -> str:
    """The address of a media file, "" where it is not kept."""
    return _player(context).media(media_id)


@register.simple_tag(takes_context=True)
def style_address(context: Context, scope: str) -> str:
    """The address of a film's style."""
    return _player(context).style(scope)


@register.simple_tag(takes_context=True)
def asked(context: Context, question: Question) -> Asked:
    """The question as the reader of this page sees it."""
    return _player(context).asked(question)


@register.filter
def clock(seconds: int) -> str:
    """Seconds as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02d}"


def _player(context: Context) -> Player:
    player: Player = context["player"]
    return player
