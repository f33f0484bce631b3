"""The demo's sources: a system that sends facts, and an identity provider, with tokens made again at each start."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from compliance.access.models import Source
from compliance.access.sources import SCIM, issue_source, rotate_source
from compliance.facts.lines.kinds import KINDS, PersonErased

FACTS = "Demo HR and learning system"
IDENTITY = "Demo identity provider"
ACTOR = "make demo"


def tokens(organization_id: UUID, now: datetime) -> dict[str, Any]:
    """The sources in `var/demo.json`: one for all kinds of fact but erasure, and one for SCIM."""
    kinds = [kind for kind in KINDS if kind != PersonErased.kind()]
    return {
        "source_token": _token(organization_id, FACTS, kinds, now),
        "scim": {"url": f"{settings.BASE_URL}/scim/v2", "token": _token(organization_id, IDENTITY, [SCIM], now)},
    }


def _token(organization_id: UUID, name: str, kinds: list[str], now: datetime) -> str:
    """A new token for the source of this name. The source itself, and what is stored for it, stays the same."""
    found = Source.objects.filter(organization_id=organization_id, name=name, issued_by=ACTOR, revoked_at=None).first()
    if found is None or found.kinds != kinds:
        return issue_source(
            organization_id=organization_id,
            name=name,
            kinds=kinds,
            environment=settings.ENVIRONMENT,
            at=now,
            actor=ACTOR,
        )[0]
    return rotate_source(
        source_id=found.source_id,
        environment=settings.ENVIRONMENT,
        at=now,
        actor=ACTOR,
        overlap=timedelta(0),
        expires_at=now + timedelta(days=365),
    )[0]
