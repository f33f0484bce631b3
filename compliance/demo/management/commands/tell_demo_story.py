"""`tell_demo_story`: both companies' stories (once), and `var/demo.json` with keys that work (every time)."""

import json
import os
import secrets
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from compliance.access import actions as access
from compliance.access.models import ApiKey
from compliance.demo import story
from compliance.interfaces.console.understand import refreshing
from compliance.interfaces.operations.models import CompanyStanding
from compliance.interfaces.operations.verification import verify_company
from compliance.rules.vocabulary import Scope

ADMIN = "demo"
KEYS = {
    "all": list(Scope),
    "training": [Scope.TRAINING_READ],
    "certificates": [Scope.CERTIFICATES_READ],
    "people": [Scope.PEOPLE_READ],
    "acknowledgements": [Scope.ACKNOWLEDGEMENTS_READ],
}


class Command(BaseCommand):
    """Tells the demo's stories and says where to look."""

    help = "Tells the demo's stories once, and writes var/demo.json with new keys."

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the command."""
        now = datetime.now(UTC)
        story.tell_all(now, self.stdout.write)
        for told in story.STORIES:
            self._prepare(story.organization_id(told), now)
        password = secrets.token_urlsafe(12)
        user, _ = get_user_model().objects.get_or_create(username=ADMIN, defaults={"email": "demo@demo.example"})
        user.is_staff = user.is_superuser = user.is_active = True
        user.set_password(password)
        user.save()
        organizations: list[dict[str, Any]] = [
            {
                "organization_id": str(story.organization_id(told)),
                "name": told.NAME,
                "time_zone": told.ZONE,
                "keys": self._keys(told, now),
            }
            for told in story.STORIES
        ]
        found = {
            "base_url": settings.BASE_URL,
            "admin": {"url": f"{settings.BASE_URL}/console/", "username": ADMIN, "password": password},
            "organizations": organizations,
        }
        settings.FOLDER.mkdir(parents=True, exist_ok=True)
        file = settings.FOLDER / "demo.json"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            json.dump(found, stream, indent=2)
        key = organizations[0]["keys"]["all"]
        self.stdout.write(
            f"\n  API      curl -H 'Authorization: Bearer {key}' {settings.BASE_URL}/v1/training-records\n"
            f"  API docs {settings.BASE_URL}/docs\n"
            f"  Console  {settings.BASE_URL}/console/  (user {ADMIN}, password {password})\n"
            f"  All keys {file}\n"
            "  Stop     Ctrl-C\n\n"
        )

    def _prepare(self, organization_id: UUID, now: datetime) -> None:
        """What the worker does each minute and each night, so that the first look at the console is not at nothing."""
        refreshing.refresh(organization_id, now)
        if not CompanyStanding.objects.filter(organization_id=organization_id, verified_at__isnull=False).exists():
            verify_company(organization_id, lambda: datetime.now(UTC))

    def _keys(self, told: Any, now: datetime) -> dict[str, str]:
        organization_id = story.organization_id(told)
        # Keys of earlier starts are forgotten, so that they do not pile up.
        ApiKey.objects.filter(organization_id=organization_id, name__startswith="demo ").delete()
        return {
            name: access.issue_key(
                organization_id=organization_id,
                scopes=scopes,
                environment=settings.ENVIRONMENT,
                at=now,
                actor="make demo",
                name=f"demo {name}",
            )[0]
            for name, scopes in KEYS.items()
        }
