"""Publishes a course from a package (design 8; issue 9): `publish_course PATH --organization ORG`.

Validates the package, seals the release, records lessons, fingerprints and media digests, and captures. The same
content again is known and records nothing.
"""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from compliance.contentfile.package import check_package
from compliance.errors import ComplianceError
from compliance.facts.courses.publishing import publish_package
from compliance.facts.lines import Certificate
from compliance.history.actions import capture_all
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy.queries import organization


class Command(BaseCommand):
    """Publishes a package as the next version of its course."""

    help = "Checks a course package (a folder or a zip) and publishes it as the next version of its course."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options."""
        parser.add_argument("path", help="The package: a folder or a zip with manifest.json.")
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        parser.add_argument("--course", type=uuid.UUID, help="A course that stands; else the manifest's id decides.")
        parser.add_argument("--retake", action="store_true", help="Whoever completed an earlier version owes this one.")
        parser.add_argument("--certificate", metavar="TITLE", help="For a new course: what completing it earns.")
        parser.add_argument("--valid-months", type=int, help="How long that certificate holds; without it, for ever.")
        parser.add_argument("--renew-days-before", type=int, help="How long before its end the renewal opens.")
        parser.add_argument("--json", action="store_true", help="Print what was published as JSON.")

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the command."""
        now = datetime.now(UTC)
        try:
            organization_id = organization(options["organization"]).organization_id
            package = check_package(options["path"])
            if not package.ok:
                for fault in package.faults:
                    self.stderr.write(f"{fault.file}{fault.pointer or '/'}: {fault.code}: {fault.message}")
                raise CommandError(f"The package has {package.fault_count} faults; nothing was published.")
            published = publish_package(
                organization_id=organization_id,
                package=package,
                at=now,
                course_id=options["course"],
                certificate=_certificate(options),
                retake=options["retake"],
            )
            capture_all(organization_id, datetime.now(UTC))
        except ComplianceError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            told = published._asdict() | {"content_sha256": package.content_sha256, "title": package.title}
            self.stdout.write(json.dumps(told, default=str))
        elif published.known:
            self.stdout.write(f"{package.title}: version {published.version} has this content already.")
        else:
            self.stdout.write(
                f"{package.title}: version {published.version} is published with {published.lessons} lessons."
            )


def _certificate(options: dict[str, Any]) -> Certificate | None:
    if not options["certificate"]:
        return None
    return Certificate(
        title=options["certificate"],
        kind=CertificateKind.COMPLETION,
        valid_months=options["valid_months"],
        renew_days_before=options["renew_days_before"],
    )
