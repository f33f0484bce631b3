"""Answers as bytes: the only renderer of /v1 for DRF, and the negotiation that always selects it."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JsonRenderer(BaseRenderer):
    """Renders JSON by orjson. Bytes are a page that its register has written already, and are left as they are."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """The body of an answer."""
        return data if isinstance(data, bytes) else orjson.dumps(data)


class OneRepresentation(BaseContentNegotiation):
    """Everything is JSON, whatever the caller accepts."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> None:
        """None: requests have no bodies."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The only renderer."""
        (renderer,) = renderers
        return renderer, JsonRenderer.media_type
