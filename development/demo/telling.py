"""The language of the stories: facts as in a facts file, at days counted back from today.

Identifiers derive from names, so a story that is recorded on another day has the same people and courses. Two companies
share no identifier, because the company's name is part of each.
"""

import json
import unicodedata
import uuid
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from compliance.contentfile.package import CheckedPackage, check_package
from compliance.proofs.instants import hashed_instant
from compliance.rules.owed_learning.identity import certificate_id

PACKAGES = Path(__file__).parent / "packages"
_NAMESPACE = uuid.UUID("4d1f0d9e-6f0c-5f0b-9b8e-2f0d6c1a7e55")


def address_of(name: str) -> str:
    """The part before the @ of a person's address: plain letters, as companies write them."""
    plain = unicodedata.normalize("NFKD", name.lower().replace("ß", "ss")).encode("ascii", "ignore").decode()
    return plain.replace(" ", ".").replace("'", "")


def identifier(company: str, name: str) -> str:
    """The identifier of something in a company, by its name in the story."""
    return str(uuid.uuid5(_NAMESPACE, f"{company}/{name}"))


def profile_of(company: str, name: str) -> str:
    """The learner profile of a person of a company."""
    return identifier(company, f"profile/{name}")


class Story:
    """Collects one company's facts. `days_ago` counts company days back from `today`; instants are written in UTC."""

    def __init__(self, organization_id: uuid.UUID, company: str, zone: str, today: date) -> None:
        self.organization_id = organization_id
        self.company = company
        self.zone = ZoneInfo(zone)
        self.today = today
        self.lines: list[tuple[int, dict[str, Any]]] = []
        self.packages: list[tuple[uuid.UUID, CheckedPackage]] = []

    def id(self, name: str) -> str:
        """The identifier of something by its name in the story."""
        return identifier(self.company, name)

    def moment(self, days_ago: int, hour: int = 9, minute: int = 0) -> str:
        """An instant at a wall-clock time of the company, `days_ago` days before today."""
        local = datetime.combine(self.today - timedelta(days=days_ago), time(hour, minute), self.zone)
        return hashed_instant(local)

    def tell(
        self, fact: str, days_ago: int, hour: int = 9, minute: int = 0, *, heard: int | None = None, **fields: Any
    ) -> None:
        """Adds one fact. Fields that are None are left out. `heard`: how many days ago it was recorded, if later."""
        content = {name: value for name, value in fields.items() if value is not None}
        at = self.moment(days_ago, hour, minute)
        fact_id = self.id(f"fact/{fact}/{days_ago}/{json.dumps(content, sort_keys=True)}")
        heard = days_ago if heard is None else heard
        self.lines.append((heard, {"fact": fact, "fact_id": fact_id, "at": at} | content))

    def heard_between(self, older: int, newer: int) -> list[dict[str, Any]]:
        """The facts recorded from `older` days ago (excluded) to `newer` days ago (included)."""
        return [line for heard, line in self.lines if newer <= heard < older]

    # --- statements that the stories repeat ------------------------------------------------------------------------

    def team(self, name: str, days_ago: int) -> None:
        """A team is created."""
        self.tell("team_created", days_ago, 8, team_id=self.id(f"team/{name}"), name=name)

    def joins(self, name: str, days_ago: int, teams: tuple[str, ...] = (), *, stay: int = 1, **fields: Any) -> None:
        """A person joins; `stay` distinguishes a second employment of the same person from the first."""
        account = address_of(name)
        self.tell(
            "employee_joined",
            days_ago,
            person_id=self.person(name, stay),
            learner_profile_id=self.profile(name),
            person_name=name,
            account_email=f"{account}@{self.company}.example",
            team_ids=[self.id(f"team/{team}") for team in teams] or None,
            **fields,
        )

    def profile(self, name: str) -> str:
        """The learner profile of a person."""
        return profile_of(self.company, name)

    def person(self, name: str, stay: int = 1) -> str:
        """The employee row of a person's stay."""
        return self.id(f"person/{name}/{stay}")

    def course(self, title: str, days_ago: int, certificate: dict[str, Any] | None = None) -> None:
        """A course is created."""
        self.tell(
            "course_created", days_ago, 8, course_id=self.id(f"course/{title}"), title=title, certificate=certificate
        )

    def release(self, title: str, version: int, days_ago: int, lessons: tuple[str, ...], **more: Any) -> None:
        """A version of a course is published, with its lessons in order."""
        named = [
            {
                "release_id": self.id(f"lesson/{title}/{lesson}/{version}"),
                "title": lesson,
                "version": version,
                "content_sha256": uuid.uuid5(_NAMESPACE, f"{title}/{lesson}/{version}").hex * 2,
            }
            for lesson in lessons
        ]
        self._publish(title, version, days_ago, lessons=named, **more)

    def release_of_package(self, name: str, title: str, version: int, days_ago: int, **more: Any) -> None:
        """A version of a course is published with its content, from one of the packages beside this file."""
        package = check_package(PACKAGES / name)
        titles = {lesson["id"]: lesson["title"] for lesson in (package.content or {})["lessons"]}
        self.packages.append((uuid.UUID(self.released(title, version)), package))
        lessons = [
            {
                "release_id": self.id(f"lesson/{title}/{each.lesson_id}/{each.content_sha256}"),
                "title": package.text(titles[each.lesson_id]),
                "version": version,
                "content_sha256": each.content_sha256,
            }
            for each in package.lesson_fingerprints
        ]
        content = {"content": package.content, "content_sha256": package.content_sha256}
        self._publish(title, version, days_ago, lessons=lessons, **content, **more)

    def _publish(self, title: str, version: int, days_ago: int, **fields: Any) -> None:
        self.tell(
            "release_published",
            days_ago,
            10,
            course_id=self.id(f"course/{title}"),
            course_release_id=self.released(title, version),
            version=version,
            publisher_id=self.id("administrator"),
            **fields,
        )

    def released(self, title: str, version: int) -> str:
        """The identifier of a published version."""
        return self.id(f"release/{title}/{version}")

    def share(
        self,
        title: str,
        days_ago: int,
        *,
        name: str = "all",
        audience: dict[str, Any] | None = None,
        requirement: str = "required",
        deadline: dict[str, Any] | None = None,
        doors: tuple[str, ...] = ("employee",),
    ) -> None:
        """A course is shared; everyone must take it, with no deadline, unless arguments state otherwise."""
        self.tell(
            "course_shared",
            days_ago,
            11,
            share_id=self.shared(title, name),
            course_id=self.id(f"course/{title}"),
            doors=list(doors),
            audience=audience or {"everyone": True},
            requirement=requirement,
            deadline=deadline or {"basis": "none"},
        )

    def shared(self, title: str, name: str = "all") -> str:
        """The identifier of a share."""
        return self.id(f"share/{title}/{name}")

    def teams(self, *names: str) -> dict[str, Any]:
        """An audience of teams."""
        return {"team_ids": [self.id(f"team/{name}") for name in names]}

    def people(self, *names: str) -> dict[str, Any]:
        """An audience of single people."""
        return {"learner_profile_ids": [self.profile(name) for name in names]}

    def by(self, days_ago: int) -> dict[str, Any]:
        """A deadline at the end of a working day; negative `days_ago` is in the future."""
        return {"basis": "share_deadline", "due_at": self.moment(days_ago, 18)}

    def by_friday(self) -> dict[str, Any]:
        """A deadline on a Friday, three to nine days ahead."""
        return self.by(-3 - (4 - (self.today + timedelta(days=3)).weekday()) % 7)

    def completes(self, name: str, title: str, days_ago: int, version: int = 1, **fields: Any) -> None:
        """A person completes a version of a course."""
        self.tell(
            "course_completed",
            days_ago,
            15,
            minute=sum(name.encode()) % 60,
            completion_receipt_id=self.receipt_of(name, title, days_ago),
            learner_profile_id=self.profile(name),
            course_release_id=self.released(title, version),
            **fields,
        )

    def receipt_of(self, name: str, title: str, days_ago: int) -> str:
        """The identifier of a completion's receipt."""
        return self.id(f"completion/{name}/{title}/{days_ago}")

    def certificate(self, name: str, title: str, days_ago: int) -> str:
        """The identifier of the certificate that a completion earned."""
        return str(certificate_id(self.organization_id, uuid.UUID(self.receipt_of(name, title, days_ago))))

    def policy(
        self,
        title: str,
        version: int,
        days_ago: int,
        *,
        act: str,
        doors: tuple[str, ...],
        change_kind: str,
        sections: tuple[tuple[str, str], ...],
        renew_months: int = 0,
        effective_after: int | None = 7,
        statement: str,
    ) -> None:
        """A version of a policy is published; it takes effect `effective_after` days later (None: not stated)."""
        body = "".join(f"<h2>{heading}</h2><p>{words}</p>" for heading, words in sections)
        self.tell(
            "policy_published",
            days_ago,
            10,
            course_id=self.id(f"policy/{title}"),
            course_release_id=self.released(title, version),
            version=version,
            act=act,
            doors=sorted(doors),
            statement=statement,
            effective_on=None
            if effective_after is None
            else (self.today - timedelta(days=days_ago - effective_after)).isoformat(),
            renew_months=renew_months,
            change_kind=change_kind,
            html=f"<h1>{title}</h1>{body}",
        )

    def policy_share(self, title: str, days_ago: int, *, deadline: dict[str, Any], doors: tuple[str, ...]) -> None:
        """A policy is shared with everyone of these `doors`."""
        self.tell(
            "policy_shared",
            days_ago,
            11,
            share_id=self.shared(title),
            course_id=self.id(f"policy/{title}"),
            doors=list(doors),
            audience={"everyone": True},
            deadline=deadline,
        )

    def signs(self, name: str, title: str, version: int, days_ago: int, *, door: str = "employee", drawn: bool = False,
              act: str = "sign") -> None:  # fmt: skip
        """A person signs (or acknowledges) a version of a policy."""
        signature: dict[str, Any] | None = None
        if act == "sign":
            strokes = [[12, 40, 30, 12.5, 48, 40, 66, 18], [20, 30, 60, 30]]
            signature = {"drawn": strokes} if drawn else {"typed": name}
        self.tell(
            "policy_signed",
            days_ago,
            14,
            minute=sum(name.encode()) % 60,
            receipt_id=self.id(f"receipt/{name}/{title}/{version}/{days_ago}"),
            share_id=self.shared(title),
            learner_profile_id=self.profile(name),
            door=door,
            course_release_id=self.released(title, version),
            signature=signature,
            sign_in_methods="sso/saml" if door == "employee" else "password totp",
        )
