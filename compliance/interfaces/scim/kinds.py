"""The kinds of resources that are served. A new kind is a line here (see `provisioning.kinds.ResourceKind`)."""

from typing import Any

from compliance.provisioning.groups.kind import Groups
from compliance.provisioning.kinds import ResourceKind
from compliance.provisioning.users.kind import Users

KINDS: tuple[ResourceKind[Any], ...] = (Users(), Groups())
