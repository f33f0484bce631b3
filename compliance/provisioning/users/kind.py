"""Users as a kind of SCIM resource."""

from collections.abc import Callable
from typing import Any, ClassVar

from compliance.provisioning.clients import Client
from compliance.provisioning.kinds import Check, Found, ResourceKind, Search, Wanted
from compliance.provisioning.resources import Employee, User
from compliance.provisioning.users import documents, reading, writing


class Users(ResourceKind[Any]):
    """Employees, whom a client creates, changes and removes."""

    model: ClassVar[Any] = Employee
    schema: ClassVar[Any] = User
    name = "User"
    endpoint = "/Users"
    description = "An employee"
    sortable = frozenset(reading.ORDERS)

    def search(self, client: Client, search: Search) -> Found:
        """The results of a search."""
        return reading.search(client, search)

    def read(self, client: Client, identifier: str, wanted: Wanted) -> Any:
        """One User, whom the client must see."""
        return reading.read(client, identifier, teams=wanted.usual("groups"))

    def create(self, client: Client, wanted: Any) -> Any:
        """Creates an employee, or brings one back."""
        return writing.create(client, wanted)

    def change(self, client: Client, identifier: str, change: Callable[[Any], Any], *, whole: bool) -> Any:
        """Applies `change`; differences become facts."""
        return writing.change(client, identifier, change, whole=whole)

    def patch(self, client: Client, identifier: str, operations: Any, check: Check | None) -> Any:
        """Patches within limits, because other writes of the company wait meanwhile."""
        documents.check_patch(operations)
        return super().patch(client, identifier, operations, check)

    def remove(self, client: Client, identifier: str, check: Check | None) -> None:
        """Records that the employee has left."""
        writing.remove(client, identifier, check)
