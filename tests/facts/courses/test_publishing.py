"""A package becomes the next version of its course (issue 9, part 4)."""

import json
import shutil
import uuid
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from compliance.contentfile.package import check_package
from compliance.demo.telling import PACKAGES
from compliance.facts.courses import publishing
from compliance.facts.courses.models import Course, Lesson, Release, ReleaseContent, ReleaseMedia
from compliance.facts.errors import InvalidContentError
from compliance.history import actions as history
from compliance.tenancy import context

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def company():
    made = history.create_company(name="Maker", time_zone="Europe/Paris", history_from=date(2025, 1, 1), now=NOW)
    return made.organization_id


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(PACKAGES / "fire-safety", tmp_path / "fire-safety"))


def _publish(company, path, **more):
    return publishing.publish_package(organization_id=company, package=check_package(path), at=NOW, now=NOW, **more)


def _say_otherwise(folder, language="en"):
    """Changes one title's words and one lesson's content."""
    content = json.loads((folder / "content.json").read_text())
    content["lessons"][0]["minutes"] = 119
    (folder / "content.json").write_text(json.dumps(content))


def test_the_release_is_sealed_with_its_lessons_fingerprints_and_media(company):
    published = _publish(company, PACKAGES / "fire-safety")
    package = check_package(PACKAGES / "fire-safety")
    with context.company(company):
        release = Release.objects.get(organization_id=company)
        assert (release.version, release.content_sha256) == (1, package.content_sha256)
        assert Course.objects.get(course_id=published.course_id).title == package.title
        fingerprints = {lesson.content_sha256 for lesson in Lesson.objects.filter(organization_id=company)}
        assert fingerprints == {each.content_sha256 for each in package.lesson_fingerprints}
        assert ReleaseContent.objects.get(organization_id=company).words.keys() == {"en", "de"}
        kept = {media.media_id: media for media in ReleaseMedia.objects.filter(organization_id=company)}
        assert {item.id: item.sha256 for item in package.media} == {name: each.sha256 for name, each in kept.items()}
        assert all(bytes(each.content) == package.read_media(name) for name, each in kept.items())


def test_the_same_content_again_is_known_and_a_change_is_the_next_version(company, folder):
    first = _publish(company, folder)
    again = _publish(company, folder)
    assert (again.known, again.version) == (True, 1)
    _say_otherwise(folder)
    second = _publish(company, folder)
    assert (second.course_id, second.version, second.known) == (first.course_id, 2, False)
    with context.company(company):
        one, two = Release.objects.filter(organization_id=company).order_by("version")
        # The lesson that did not change keeps its release.
        assert len(set(one.lesson_release_ids) & set(two.lesson_release_ids)) == 1
        assert one.contents_sha256 != two.contents_sha256


def test_two_companies_publish_the_same_package_apart(company):
    other = history.create_company(name="Other", time_zone="UTC", history_from=date(2025, 1, 1), now=NOW)
    assert _publish(company, PACKAGES / "phishing").course_id != _publish(
        other.organization_id, PACKAGES / "phishing"
    ).course_id  # fmt: skip


def test_a_package_with_faults_is_refused_and_nothing_is_recorded(company, folder):
    (folder / "words" / "en.json").write_text("{}")
    with pytest.raises(InvalidContentError, match="faults"):
        _publish(company, folder)
    with pytest.raises(CommandError, match="nothing was published"):
        call_command("publish_course", str(folder), organization=company)
    with context.company(company):
        assert not Course.objects.filter(organization_id=company).exists()


def test_the_command_publishes_captures_and_says_what_it_did(company, capsys):
    arguments = [str(PACKAGES / "anti-bribery"), "--organization", str(company), "--json"]
    call_command("publish_course", *arguments, "--certificate", "Honest", "--valid-months", "12")
    told = json.loads(capsys.readouterr().out)
    assert (told["version"], told["known"]) == (1, False)
    call_command("publish_course", *arguments)
    assert json.loads(capsys.readouterr().out)["known"] is True
    with pytest.raises(CommandError, match="no organization"):
        call_command("publish_course", str(PACKAGES / "phishing"), organization=uuid.uuid4())
