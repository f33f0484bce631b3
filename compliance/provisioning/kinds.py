"""What every kind of SCIM resource can do, whichever it is: read, searched for, made, changed and removed.

`interfaces.scim` speaks the protocol and knows nothing else of a kind. A new one is a subclass here and a line in
`interfaces.scim.kinds.KINDS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from scim2_models import PatchOp, Resource, ScimFilter

from compliance.provisioning.clients import Client
from compliance.provisioning.resources import POLICY

ResourceT = TypeVar("ResourceT", bound=Resource[Any])
Check = Callable[[Any], None]
"""Sees a resource with its version before anything happens to it, and raises where a precondition fails."""


class Wanted(NamedTuple):
    """Which attributes an answer will hold, by their names in lower case; `named` None: those that usually are."""

    named: frozenset[str] | None = None
    left_out: frozenset[str] = frozenset()

    def usual(self, name: str) -> bool:
        """Whether an attribute is answered that is unless others are asked for."""
        return name not in self.left_out and (self.named is None or name in self.named)

    def asked_for(self, name: str) -> bool:
        """Whether an attribute is asked for by its name."""
        return self.named is not None and name in self.named


class Search(NamedTuple):
    """What is searched for: a filter bound to the kind's model, its order, and which part of what it finds."""

    filter: ScimFilter[Any] | None
    sort_by: str | None
    descending: bool
    start: int
    most: int
    wanted: Wanted


class Found(NamedTuple):
    """A part of what a search finds, and how much it finds in all."""

    total: int
    resources: Sequence[Resource[Any]]


class ResourceKind(ABC, Generic[ResourceT]):
    """One kind of resource as a client meets it.

    Each resource is complete, with `meta.version`, or lacks what nobody asked for, and then may have no version;
    `meta.location` is left to the interface. Raises the exceptions of scim2_models, those of `facts.errors`, and
    `NotFoundException` for whatever this client does not see. A `check` is None where nobody states a precondition.
    """

    model: ClassVar[type[Resource[Any]]]
    """The model with its extensions."""
    schema: ClassVar[type[Resource[Any]]]
    """The model without them."""
    name: ClassVar[str]
    endpoint: ClassVar[str]
    description: ClassVar[str]
    sortable: ClassVar[frozenset[str]] = frozenset()
    """The attributes, by their names in lower case, by which a list may be ordered."""

    @abstractmethod
    def search(self, client: Client, search: Search) -> Found:
        """What a search finds, by a constant number of statements."""

    @abstractmethod
    def read(self, client: Client, identifier: str, wanted: Wanted) -> ResourceT:
        """One resource, by its identifier as the address has it."""

    @abstractmethod
    def create(self, client: Client, wanted: ResourceT) -> ResourceT:
        """Makes one, and returns it as it is answered."""

    @abstractmethod
    def change(
        self, client: Client, identifier: str, change: Callable[[ResourceT], ResourceT], *, whole: bool
    ) -> ResourceT:
        """Makes one what `change` makes of it, in one transaction, and returns it as it is answered.

        `change` is given the present one with its version. `whole`: the client has stated all of it (PUT), and not a
        part (PATCH).
        """

    def replace(self, client: Client, identifier: str, wanted: ResourceT, check: Check | None) -> ResourceT:
        """Replaces one, after `check` has seen the present one, and returns it as it is answered."""

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
        """Patches one, after `check` has seen the present one.

        Returns it as it is answered; None where it may be large, and is answered to those only who ask for attributes.
        """

        def patched(present: ResourceT) -> ResourceT:
            if check is not None:
                check(present)
            operations.patch(present, scim_policy=POLICY)
            return present

        return self.change(client, identifier, patched, whole=False)

    @abstractmethod
    def remove(self, client: Client, identifier: str, check: Check | None) -> None:
        """Removes one, after `check` has seen it."""
