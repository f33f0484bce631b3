"""How drf-spectacular reads the views of /v1: parameters and answers come from `described`, by path."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from compliance.interfaces.api.described import OF_PATH


class ApiSchema(AutoSchema):
    """The schema of one operation."""

    def get_override_parameters(self) -> list[Any]:
        """The query parameters of the endpoint."""
        described = OF_PATH.get(self.path)
        return [] if described is None else list(described.parameters)

    def get_response_serializers(self) -> Any:
        """The page class; none for what is no register."""
        described = OF_PATH.get(self.path)
        return None if described is None else {200: described.model}

    def get_request_serializer(self) -> Any:
        """Nothing is ever sent."""
        return None

    def get_auth(self) -> list[Any]:
        """Security is the same everywhere; `openapi.finish` says it."""
        return []

    def _is_list_view(self, serializer: Any = None) -> bool:
        """A page is an object, not an array."""
        return False
