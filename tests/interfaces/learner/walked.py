"""Data for the walk: a company that asks for a course of all fifteen blocks and for a policy, and links."""

import json
import shutil
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from compliance.contentfile.package import check_package
from compliance.facts.courses.publishing import publish_package
from compliance.facts.lines import kinds
from compliance.history.actions import capture_all
from compliance.learning import links
from compliance.rules.vocabulary import CertificateKind, Door, Requirement
from compliance.tenancy import context
from development.demo.telling import PACKAGES
from tests.facts.story import Story

FILM_PAGE = "one-click"


class Walked:
    """Ana, who owes a course and a policy; `take_in` captures what she does, as a worker would."""

    def __init__(self, package: Path) -> None:
        self.story = Story(datetime.now(UTC))
        self.organization_id = self.story.organization_id
        self.profile_id: uuid.UUID = self.story.employee("Ana Reis")
        self.version, _ = self.story.shared_policy()
        certificate = kinds.Certificate(title="Safe at work", kind=CertificateKind.COMPLETION, valid_months=12)
        published = publish_package(
            organization_id=self.organization_id,
            package=check_package(package),
            at=self.story.now - timedelta(days=2),
            certificate=certificate,
        )
        self.course_id = published.course_id
        shared = kinds.CourseShared(
            fact_id=uuid.uuid4(),
            at=self.story.now - timedelta(days=1),
            share_id=uuid.uuid4(),
            course_id=self.course_id,
            doors=(Door.EMPLOYEE,),
            audience=kinds.Audience(everyone=True),
            requirement=Requirement.REQUIRED,
            deadline=kinds.DaysAfterAdded(days=14),
        )
        self.story.tell([shared])
        self.take_in()

    def take_in(self) -> None:
        """Captures what was recorded."""
        capture_all(self.organization_id, datetime.now(UTC))

    def link(self, leads_to: str = "") -> str:
        """The path of a new personal link."""
        with context.company(self.organization_id):
            token = links.make(
                self.organization_id,
                now=datetime.now(UTC),
                life=links.ASKED_FOR,
                learner_profile_id=self.profile_id,
                leads_to=leads_to,
            )
        return f"/learn/in/{token}"


def everything(folder: Path) -> Path:
    """A package of one course with all fifteen blocks: that of fire safety, and the page with the film of phishing."""
    made = folder / "everything"
    shutil.copytree(PACKAGES / "fire-safety", made)
    shutil.copy(PACKAGES / "phishing" / "media" / "chime.wav", made / "media")
    manifest, other = _read(made / "manifest.json"), _read(PACKAGES / "phishing" / "manifest.json")
    content, film = _read(made / "content.json"), _read(PACKAGES / "phishing" / "content.json")
    words, spoken = _read(made / "words" / "en.json"), _read(PACKAGES / "phishing" / "words" / "en.json")
    lesson = film["lessons"][0]
    lesson["pages"] = [page for page in lesson["pages"] if page["id"] == FILM_PAGE]
    content["lessons"].append(lesson)
    _for_everybody(content)
    (chime,) = (media for media in other["media"] if media["id"] == "chime")
    manifest["media"].append(chime | {"description": "fire-safety.media.chime"})
    manifest |= {"languages": ["en"], "words": {"en": "words/en.json"}, "sdk": "2.1", "roles": []}
    words["words"] |= spoken["words"] | {"fire-safety.media.chime": spoken["words"][chime["description"]]}
    named = json.dumps([manifest, content])
    words["words"] = {name: text for name, text in words["words"].items() if f'"{name}"' in named}
    (made / "words" / "de.json").unlink()
    for name, value in (("manifest", manifest), ("content", content), ("words/en", words)):
        (made / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return made


def without_film(folder: Path) -> Path:
    """The package of fire safety with all lessons required, and only blocks that need no scripts."""
    made = folder / "without-film"
    shutil.copytree(PACKAGES / "fire-safety", made)
    content = _read(made / "content.json")
    _for_everybody(content)
    (made / "content.json").write_text(json.dumps(content), encoding="utf-8")
    return made


def _for_everybody(content: Any) -> None:
    for each in content["lessons"]:
        each.pop("requiredFor", None)


def blocks_of(package: Path) -> set[str]:
    """The kinds of block in a package."""
    content = _read(package / "content.json")
    return {block["type"] for lesson in content["lessons"] for page in lesson["pages"] for block in page["blocks"]}


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
