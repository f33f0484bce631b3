"""What every kind of SCIM resource can do: be read, searched, created, changed and removed.

`interfaces.scim` implements the protocol and depends on nothing else of a kind. A new kind is a subclass here and a
line in `interfaces.scim.kinds.KINDS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from scim2_models import PatchOp, Resource, ScimFilter

from compliance.provisioning.clients import Client
from compliance.provisioning.resources import POLICY

ResourceT = TypeVar("ResourceT", bound=Resource[Any])
Check = Callable[[Any], None]
"""Is given a resource with its version before it is changed, and raises where a precondition fails."""


class Wanted(NamedTuple):
    """Which attributes an answer holds, by their names in lower case; `named` None: the default ones."""

    named: frozenset[str] | None = None
    left_out: frozenset[str] = frozenset()

    def usual(self, name: str) -> bool:
        """Whether an attribute that is answered by default is in the answer."""
        return name not in self.left_out and (self.named is None or name in self.named)

    def asked_for(self, name: str) -> bool:
        """Whether an attribute is asked for by name."""
        return self.named is not None and name in self.named


class Search(NamedTuple):
    """A search: a filter bound to the kind's model, an order, and which part of the results to return."""

    filter: ScimFilter[Any] | None
    sort_by: str | None
    descending: bool
    start: int
    most: int
    wanted: Wanted


class Found(NamedTuple):
    """A part of a search's results, and their total number."""

    total: int
    resources: Sequence[Resource[Any]]


class ResourceKind(ABC, Generic[ResourceT]):
    """One kind of resource, as a client sees it.

    Each resource is complete and has `meta.version`; one that lacks attributes which were not asked for may have no
    version. The interface adds `meta.location`. Methods raise the exceptions of scim2_models, those of `facts.errors`,
    and `NotFoundException` for a resource that this client does not see. `check` is None without a precondition.
    """

    model: ClassVar[type[Resource[Any]]]
    """The model with its extensions."""
    schema: ClassVar[type[Resource[Any]]]
    """The model without its extensions."""
    name: ClassVar[str]
    endpoint: ClassVar[str]
    description: ClassVar[str]
    sortable: ClassVar[frozenset[str]] = frozenset()
    """The attributes, by their names in lower case, by which a list may be ordered."""

    @abstractmethod
    def search(self, client: Client, search: Search) -> Found:
        """The results of a search, by a constant number of statements."""

    @abstractmethod
    def read(self, client: Client, identifier: str, wanted: Wanted) -> ResourceT:
        """The resource with this identifier, given as in its address."""

    @abstractmethod
    def create(self, client: Client, wanted: ResourceT) -> ResourceT:
        """Creates a resource and returns it as it is answered."""

    @abstractmethod
    def change(
        self, client: Client, identifier: str, change: Callable[[ResourceT], ResourceT], *, whole: bool
    ) -> ResourceT:
        """Applies `change` to a resource in one transaction and returns it as it is answered.

        `change` is given the present resource with its version. `whole`: the client has stated all of it (PUT), not a
        part (PATCH).
        """

    def replace(self, client: Client, identifier: str, wanted: ResourceT, check: Check | None) -> ResourceT:
        """Replaces a resource, after `check` has seen the present one, and returns it as it is answered."""

        def replaced(present: ResourceT) -> ResourceT:
            if check is not None:
                check(present)
            with POLICY:
                wanted.replace(present)
            return wanted

        return self.change(client, identifier, replaced, whole=True)

    def patch(
        self, client: Client, identifier: str, operations: "PatchOp[Any]", check: Check | None
    ) -> ResourceT | None:
        """Patches a resource, after `check` has seen the present one.

        Returns it as it is answered; None for a kind that may be large, which is answered only where attributes are
        asked for.
        """

        def patched(present: ResourceT) -> ResourceT:
            if check is not None:
                check(present)
            operations.patch(present, scim_policy=POLICY)
            return present

        return self.change(client, identifier, patched, whole=False)

    @abstractmethod
    def remove(self, client: Client, identifier: str, check: Check | None) -> None:
        """Removes a resource, after `check` has seen it."""
