"""Publishes a course from a package: `publish_course PATH --organization ORG`.

Validates the package, seals the release, records lessons, fingerprints and media digests, and captures. The package's
id identifies the course: a changed package is that course's next version, an unchanged one records nothing. So a
publication whose result is unknown can simply be repeated.
"""

import json
import uuid
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError
from pydantic import ValidationError

from compliance.contentfile.package import check_package
from compliance.facts.courses.publishing import publish_package
from compliance.facts.lines.kinds import Certificate
from compliance.facts.lines.reading import sentences
from compliance.facts.recording import Channel, Teller, telling
from compliance.history.actions import capture_all
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy.queries import organization


class Command(OperatorCommand):
    """Publishes a package as the next version of its course."""

    help = "Checks a course package (a folder or a zip) and publishes it as the next version of its course."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options."""
        parser.add_argument("path", help="The package: a folder or a zip with manifest.json.")
        parser.add_argument("--organization", type=uuid.UUID, required=True)
        parser.add_argument(
            "--course",
            type=uuid.UUID,
            help="The first time: an existing course, of which the package becomes the next version. Later the"
            " package's id decides by itself.",
        )
        parser.add_argument("--retake", action="store_true", help="Whoever completed an earlier version owes this one.")
        parser.add_argument("--certificate", metavar="TITLE", help="For a new course: what completing it earns.")
        parser.add_argument("--valid-months", type=int, help="How long that certificate holds; without it, for ever.")
        parser.add_argument("--renew-days-before", type=int, help="How long before its end the renewal opens.")
        parser.add_argument("--json", action="store_true", help="Print what was published as JSON.")

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the command."""
        now = datetime.now(UTC)
        organization_id = organization(options["organization"]).organization_id
        package = check_package(options["path"])
        if not package.ok:
            for fault in package.faults:
                self.stderr.write(f"{fault.file}{fault.pointer or '/'}: {fault.code}: {fault.message}")
            raise CommandError(f"The package has {_counted(package.fault_count, 'fault')}; nothing was published.")
        with telling(Teller(Channel.COMMAND, "publish_course")):
            published = publish_package(
                organization_id=organization_id,
                package=package,
                at=now,
                course_id=options["course"],
                certificate=_certificate(options),
                retake=options["retake"],
            )
        capture_all(organization_id, datetime.now(UTC))
        if options["certificate"] and not (published.new_course or published.known):
            self.stderr.write("--certificate is for a new course; this course goes on earning what it earns.")
        if options["json"]:
            manifest = package.manifest or {}
            printed = published._asdict() | {
                "title": package.title,
                "content_sha256": package.content_sha256,
                "package_id": manifest["id"],
                "package_version": manifest["version"],
            }
            self.stdout.write(json.dumps(printed, default=str))
            return
        version = f"{package.title}: version {published.version}"
        if not published.known:
            self.stdout.write(f"{version} is published, with {_counted(published.lessons, 'lesson')}.")
        elif options["retake"]:
            self.stdout.write(f"{version} is a retake of this package already; nothing was published.")
            self.stdout.write("  To ask everybody once more, raise the version in its manifest.")
        else:
            self.stdout.write(f"{version} is this package already; nothing was published.")
        course = "new course" if published.new_course else "course"
        self.stdout.write(f"  {course} {published.course_id}, release {published.course_release_id}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _certificate(options: dict[str, Any]) -> Certificate | None:
    if not options["certificate"]:
        return None
    try:
        return Certificate(
            title=options["certificate"],
            kind=CertificateKind.COMPLETION,
            valid_months=options["valid_months"],
            renew_days_before=options["renew_days_before"],
        )
    except ValidationError as error:
        raise CommandError(f"There can be no such certificate. {' '.join(sentences(error, skipped=0))}") from None
