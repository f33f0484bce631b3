"""Publishing a package as the next version of its course."""

import json
import shutil
import uuid
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from compliance.contentfile.package import check_package
from compliance.facts.courses import publishing
from compliance.facts.courses.media import media_content
from compliance.facts.courses.models import Course, Lesson, Release, ReleaseContent, ReleaseMedia
from compliance.facts.errors import InvalidContentError, RefusedByRuleError, UnresolvedReferenceError
from compliance.facts.lines.kinds import ReleaseLesson
from compliance.tenancy import context
from development.demo.telling import PACKAGES
from tests import verbs
from tests.companies import make_company

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def company():
    return make_company("Maker", "Europe/Paris", date(2025, 1, 1)).organization_id


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(PACKAGES / "fire-safety", tmp_path / "fire-safety"))


def _publish(company, path, at=NOW, **more):
    return publishing.publish_package(organization_id=company, package=check_package(path), at=at, now=at, **more)


def _version(folder, version):
    """Writes another version into a package's manifest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"version": version}))


def _words(folder, text_id, words, language="en"):
    """Changes the words of one text."""
    file = folder / "words" / f"{language}.json"
    told = json.loads(file.read_text())
    told["words"][text_id] = words
    file.write_text(json.dumps(told))


def _told_by_file(company, folder, **kept):
    """Records a course and its version from a facts file, under identifiers of another program; returns the course."""
    package = check_package(folder)
    course_id = verbs.create_course(organization_id=company, title="As they call it", at=NOW, now=NOW)
    verbs.publish_release(
        organization_id=company, course_id=course_id, version=7, at=NOW, now=NOW, content_sha256=package.content_sha256,
        lessons=[
            ReleaseLesson(
                release_id=uuid.uuid4(), title="Fight", version=7,
                content_sha256=package.lesson_fingerprints[1].content_sha256,
            )
        ],
        **kept,
    )  # fmt: skip
    return course_id


def _say_otherwise(folder, language="en"):
    """Changes one title's text and one lesson's content."""
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
        for name in kept:
            pieces = media_content(company, published.course_release_id, name, 0, kept[name].size)
            assert b"".join(pieces) == package.read_media(name)


def test_the_same_content_again_is_known_and_a_change_is_the_next_version(company, folder):
    first = _publish(company, folder)
    again = _publish(company, folder)
    assert (again.known, again.version) == (True, 1)
    _say_otherwise(folder)
    second = _publish(company, folder)
    assert (second.course_id, second.version, second.known) == (first.course_id, 2, False)
    with context.company(company):
        one, two = Release.objects.filter(organization_id=company).order_by("version")
        # The unchanged lesson keeps its release.
        assert len(set(one.lesson_release_ids) & set(two.lesson_release_ids)) == 1
        assert one.contents_sha256 != two.contents_sha256


def test_a_package_of_a_course_that_the_company_has_under_another_identifier_is_its_next_version(company, folder):
    course_id = _told_by_file(company, folder, content=check_package(folder).content)
    with context.company(company):
        told = Release.objects.get(organization_id=company)
        publishing.keep_package(company, told.course_release_id, check_package(folder))
    assert _publish(company, folder)[:3] == (course_id, told.course_release_id, 7)
    _say_otherwise(folder)
    second = _publish(company, folder)
    assert (second.course_id, second.version, second.new_course) == (course_id, 8, False)
    with context.company(company):
        assert Course.objects.filter(organization_id=company).count() == 1
        # The unchanged lesson keeps its release, whoever gave it its identifier.
        lessons = Release.objects.get(course_release_id=second.course_release_id).lesson_release_ids
        assert set(told.lesson_release_ids) < set(lessons)
    _words(folder, "fire-safety.title", "Fire")
    assert _publish(company, folder).version == 9


def test_a_lesson_that_did_not_change_keeps_the_release_that_a_facts_file_gave_it(company, folder):
    course_id = _told_by_file(company, folder)
    published = _publish(company, folder, course_id=course_id, retake=True)
    with context.company(company):
        told, made = Release.objects.filter(course_id=course_id).order_by("version")
    assert (published.version, made.lesson_release_ids[1]) == (8, told.lesson_release_ids[0])


def test_a_version_that_a_facts_file_told_without_its_package_gets_the_package(company, folder):
    course_id = _told_by_file(company, folder)
    published = _publish(company, folder)
    assert (published.course_id, published.version, published.known) == (course_id, 7, True)
    with context.company(company):
        assert ReleaseContent.objects.get(organization_id=company).words.keys() == {"en", "de"}
        assert Release.objects.filter(organization_id=company).count() == 1
    assert _publish(company, folder).known


def test_a_course_that_was_named_once_is_the_packages_course_from_then_on(company, folder):
    course_id = verbs.create_course(organization_id=company, title="Fire, at our place", at=NOW, now=NOW)
    first = _publish(company, folder, course_id=course_id)
    assert (first.course_id, first.version, first.new_course) == (course_id, 1, False)
    _say_otherwise(folder)
    assert _publish(company, folder)[:1] == (course_id,)
    with context.company(company):
        # A new title of the course is one that changed in the package.
        assert Course.objects.get(organization_id=company).title == "Fire, at our place"
    other = verbs.create_course(organization_id=company, title="Another", at=NOW, now=NOW)
    with pytest.raises(RefusedByRuleError, match="is the course Fire, at our place"):
        _publish(company, folder, course_id=other)
    with pytest.raises(UnresolvedReferenceError, match="no course"):
        _publish(company, folder, course_id=uuid.uuid4())


def test_a_package_that_is_there_as_two_courses_asks_which_is_meant(company, folder):
    courses = [_told_by_file(company, folder, content=check_package(folder).content) for _ in range(2)]
    with context.company(company):
        for release in Release.objects.filter(organization_id=company):
            publishing.keep_package(company, release.course_release_id, check_package(folder))
    with pytest.raises(RefusedByRuleError, match="several courses"):
        _publish(company, folder)
    assert _publish(company, folder, course_id=courses[1]).known


def test_other_words_and_other_media_are_another_version_though_the_content_file_is_the_same(company, folder):
    first = _publish(company, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    title = manifest["title"]
    _words(folder, title, "Fire safety, and how to get out")
    second = _publish(company, folder)
    assert (second.course_id, second.version, second.known) == (first.course_id, 2, False)
    with context.company(company):
        assert Course.objects.get(organization_id=company).title == "Fire safety, and how to get out"
        one, two = Release.objects.filter(organization_id=company).order_by("version")
        assert (one.content_sha256, one.contents_sha256) == (two.content_sha256, two.contents_sha256)
    media = folder / manifest["media"][0]["file"]
    media.write_bytes(media.read_bytes() + b"\0")
    manifest["media"][0] |= {"bytes": media.stat().st_size, "sha256": sha256(media.read_bytes()).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert _publish(company, folder).version == 3
    assert _publish(company, folder).known


def test_an_older_package_is_refused_unless_the_newer_one_was_withdrawn(company, folder):
    older = Path(shutil.copytree(folder, folder.parent / "older"))
    _say_otherwise(older)
    _version(older, 1)
    newer = _publish(company, folder)
    with pytest.raises(RefusedByRuleError, match="says version 1, and version 2 of it was published before"):
        _publish(company, older)
    with context.company(company):
        assert Release.objects.filter(organization_id=company).count() == 1
    later = NOW + timedelta(days=1)
    verbs.withdraw_release(
        organization_id=company, course_release_id=newer.course_release_id, at=later, now=later
    )  # fmt: skip
    assert _publish(company, older, at=later).version == 2


def test_the_same_package_after_its_version_was_withdrawn_is_the_next_version(company, folder):
    first = _publish(company, folder)
    later = NOW + timedelta(days=1)
    verbs.withdraw_release(
        organization_id=company, course_release_id=first.course_release_id, at=later, now=later
    )  # fmt: skip
    second = _publish(company, folder, at=later)
    assert (second.course_id, second.version, second.known) == (first.course_id, 2, False)


def test_a_retake_that_is_asked_again_is_known_until_the_manifest_says_a_higher_version(company, folder):
    _publish(company, folder)
    assert (_publish(company, folder, retake=True).version, _publish(company, folder).known) == (2, True)
    assert _publish(company, folder, retake=True)[2:5:2] == (2, True)
    _version(folder, 3)
    assert _publish(company, folder, retake=True).version == 3


def test_what_schema_keys_hold_is_not_kept(company, folder):
    content = json.loads((folder / "content.json").read_text())
    content["$schema"] = {"any": ["\0", 10**30, 1.5]}
    content["lessons"][0]["minutes"] = 5.0
    verbs.publish_release(
        organization_id=company, version=1, at=NOW, now=NOW, content=content,
        course_id=verbs.create_course(organization_id=company, title="Fire", at=NOW, now=NOW),
    )  # fmt: skip
    with context.company(company):
        kept = ReleaseContent.objects.get(organization_id=company).content
    assert "$schema" not in kept
    assert repr(kept["lessons"][0]["minutes"]) == "5"


def test_two_companies_publish_the_same_package_apart(company):
    other = make_company("Other", "UTC", date(2025, 1, 1))
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
    plain = arguments[:-1]
    for options, said in (
        ([], "version 1 is this package already"),
        (["--retake"], "version 2 is published, with 2 lessons."),
        (["--retake"], "To ask everybody once more, raise the version in its manifest."),
    ):
        call_command("publish_course", *plain, *options)
        assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--valid-months", "0"], "valid_months"), (["--renew-days-before", "-1"], "renew_days_before"), ([], "title")],
)
def test_the_command_refuses_a_certificate_that_cannot_be_in_a_sentence(company, folder, options, said):
    title = "Fire" if options else "F" * 501
    with pytest.raises(CommandError, match=rf"There can be no such certificate\. {said}: "):
        call_command("publish_course", str(folder), "--organization", str(company), "--certificate", title, *options)


def test_the_command_says_that_a_certificate_is_for_a_new_course_only(company, folder, capsys):
    arguments = [str(folder), "--organization", str(company), "--certificate", "Fire"]
    call_command("publish_course", *arguments)
    call_command("publish_course", *arguments)  # repeated, for example after a crash
    assert capsys.readouterr().err == ""
    _say_otherwise(folder)
    call_command("publish_course", *arguments)
    assert "goes on earning what it earns" in capsys.readouterr().err
    with pytest.raises(CommandError, match="no organization"):
        call_command("publish_course", str(PACKAGES / "phishing"), organization=uuid.uuid4())
