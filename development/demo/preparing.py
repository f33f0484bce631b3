"""`python -m development.demo.preparing MAILBOX`: both stories (once), and `var/demo.json` (every time).

The file has keys and learners' links that work now. MAILBOX is the address of the page with the demo's letters.
"""

import json
import os
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402 - these need the settings
from django.contrib.auth import get_user_model  # noqa: E402

from compliance.access import actions as access  # noqa: E402
from compliance.access.models import ApiKey  # noqa: E402
from compliance.interfaces.console.understand import refreshing  # noqa: E402
from compliance.interfaces.operations.models import CompanyStanding  # noqa: E402
from compliance.interfaces.operations.verification import verify_company  # noqa: E402
from compliance.log import keys, signing  # noqa: E402
from compliance.rules.vocabulary import Scope  # noqa: E402
from development.demo import learners, sources, story  # noqa: E402

ADMIN = "demo"
KEYS = {
    "all": list(Scope),
    "training": [Scope.TRAINING_READ],
    "certificates": [Scope.CERTIFICATES_READ],
    "people": [Scope.PEOPLE_READ],
    "acknowledgements": [Scope.ACKNOWLEDGEMENTS_READ],
}


def main() -> int:
    """Records the stories that are missing and prints where to look. Returns the exit code."""
    if settings.PRODUCTION:
        sys.stderr.write("The demo's stories are made up: they are not told where ENVIRONMENT is live.\n")
        return 1
    (mailbox,) = sys.argv[1:] or ("",)
    now = datetime.now(UTC)
    story.tell_all(now, _say)
    for each in story.STORIES:
        _prepare(story.organization_id(each), now)
    signing.sign_new(now)  # as the signer does continuously: so everything in the stories can be proved at once
    password = secrets.token_urlsafe(12)
    user, _ = get_user_model().objects.get_or_create(username=ADMIN, defaults={"email": "demo@demo.example"})
    user.is_staff = user.is_superuser = user.is_active = True
    user.set_password(password)
    user.save()
    organizations: list[dict[str, Any]] = [
        {
            "organization_id": str(story.organization_id(each)),
            "name": each.NAME,
            "time_zone": each.ZONE,
            "keys": _keys(each, now),
            **sources.tokens(story.organization_id(each), now),
            "learners": learners.learners(each, now),
            "other_learners": learners.others(each, now),
        }
        for each in story.STORIES
    ]
    found = {
        "base_url": settings.BASE_URL,
        "admin": {"url": f"{settings.BASE_URL}/console/", "username": ADMIN, "password": password},
        "organizations": organizations,
        "log": {
            "origin": keys.origin(),
            "key": keys.verifier_keys()[0],
            "checkpoint_url": f"{settings.BASE_URL}/log/checkpoint",
        },
        "mailbox": settings.EMAIL_FILE_PATH,
        "mailbox_url": mailbox,
    }
    Path(settings.EMAIL_FILE_PATH).mkdir(mode=0o700, parents=True, exist_ok=True)
    settings.FOLDER.mkdir(parents=True, exist_ok=True)
    file = settings.FOLDER / "demo.json"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(found, stream, indent=2)
    key, source = organizations[0]["keys"]["all"], organizations[0]["source_token"]
    scim = organizations[0]["scim"]
    _say(
        f"\n  API      curl -H 'Authorization: Bearer {key}' {settings.BASE_URL}/v1/training-records\n"
        f"  Facts    curl -H 'Authorization: Bearer {source}' --data-binary @FILE {settings.BASE_URL}/in/v1/facts\n"
        f"  SCIM     curl -H 'Authorization: Bearer {scim['token']}' {scim['url']}/Users\n"
        f"  API docs {settings.BASE_URL}/docs\n"
        f"  Console  {settings.BASE_URL}/console/  (user {ADMIN}, password {password})\n"
        f"{_links(organizations)}"
        f"  Letters  {mailbox}\n"
        f"  All keys {file}\n"
        "  Stop     Ctrl-C\n"
    )
    return 0


def _links(organizations: list[dict[str, Any]]) -> str:
    """The learners' links, one per line."""
    return "".join(
        f"  Learner  {learner['link']}  ({learner['person_name']}, {organization['name']})\n"
        for organization in organizations
        for learner in (*organization["learners"], *organization["other_learners"])
    )


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _prepare(organization_id: UUID, now: datetime) -> None:
    """Does what the worker does each minute and each night, so that the console is not empty at first sight."""
    refreshing.refresh(organization_id, now)
    if not CompanyStanding.objects.filter(organization_id=organization_id, verified_at__isnull=False).exists():
        verify_company(organization_id, lambda: datetime.now(UTC))


def _keys(company_story: Any, now: datetime) -> dict[str, str]:
    organization_id = story.organization_id(company_story)
    # Keys of earlier starts are deleted, so that they do not accumulate.
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


if __name__ == "__main__":
    sys.exit(main())
