"""The public check page and the printed certificate."""

import logging
import os
import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from compliance.facts.certificates.models import CheckCode
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.history.actions import capture_all
from compliance.interfaces.pages.private_paths import PrivatePathsRequestMiddleware, without_private_parts
from compliance.interfaces.pages.throttle import CHECKS_PER_MINUTE
from compliance.rules.owed_learning.identity import certificate_id
from compliance.rules.vocabulary import Attendance, LiveSessionFormat, MarkedBy
from compliance.tenancy import context
from tests.facts.story import BEGIN, Story


def earn(story: Story, *, assessed: bool = False, at: datetime | None = None) -> tuple[uuid.UUID, uuid.UUID, str]:
    """Somebody earns a certificate; returns the person, the certificate and its check code."""
    _, release_id = story.shared_course(assessed=assessed)
    person = story.employee("Zoë Marguerite O’Neill")
    receipt_id = story.completed(person, release_id, at or story.now - timedelta(days=30), assessed=assessed)
    capture_all(story.organization_id, story.now)
    certificate = certificate_id(story.organization_id, receipt_id)
    code = code_of(story, certificate_id=certificate)
    assert code is not None
    return person, certificate, code


def code_of(story: Story, **which: uuid.UUID) -> str | None:
    """The check code of a certificate, as its company sees it."""
    with context.company(story.organization_id):
        return CheckCode.objects.get(**which).check_code


def body_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def test_the_page_shows_what_is_printed_and_the_status_today(story: Story, visitor: Client) -> None:
    _, certificate, code = earn(story, assessed=True)
    answer = visitor.get(f"/check/{code.lower()}")
    body = body_of(answer)
    assert answer.status_code == 200
    for said in (
        "This certificate is valid today.",
        "Harbour &amp; Vine",
        "Certificate of achievement",
        "Zoë Marguerite O’Neill",
        "Safe with dangerous goods",
        "Valid until",
        "Issued",
        code,
        str(certificate),
        f"/check/{code}/certificate.pdf",
    ):
        assert said in body
    assert "<script" not in body
    assert "noindex" in answer.headers["X-Robots-Tag"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_names_keep_their_direction_on_a_page_from_right_to_left(story: Story, visitor: Client) -> None:
    """Their brackets and full stops would change sides otherwise."""
    _, _, code = earn(story)
    body = body_of(visitor.get(f"/check/{code}", headers={"accept-language": "ar"}))
    assert 'dir="rtl"' in body
    for name in ("Harbour &amp; Vine", "Zoë Marguerite O’Neill", "Safe with dangerous goods", code):
        assert f"<bdi>{name}</bdi>" in body


def test_the_pdf_is_the_same_file_each_time(story: Story, visitor: Client) -> None:
    _, certificate, code = earn(story)
    first, second = (visitor.get(f"/check/{code}/certificate.pdf") for _ in range(2))
    assert first.status_code == 200
    assert first.headers["Content-Type"] == "application/pdf"
    assert str(certificate) in first.headers["Content-Disposition"]
    assert first.content == second.content
    assert first.content.startswith(b"%PDF-1.7")


@pytest.mark.parametrize("status", ["expired", "revoked", "replaced"])
def test_each_other_status_is_said_in_words(status: str, story: Story, visitor: Client) -> None:
    at = BEGIN + timedelta(days=5) if status == "expired" else None
    _, certificate, code = earn(story, at=at)
    actor = uuid.UUID(int=7)
    if status == "revoked":
        story.tell(
            [kinds.CertificateRevoked(fact_id=uuid.uuid4(), at=story.now, certificate_id=certificate, actor_id=actor)]
        )
    if status == "replaced":
        story.tell(
            [
                kinds.CertificateCorrected(
                    fact_id=uuid.uuid4(),
                    at=story.now,
                    certificate_id=uuid.UUID(int=11),
                    supersedes_id=certificate,
                    person_name="Zoe O’Neill",
                    actor_id=actor,
                )
            ]
        )
    capture_all(story.organization_id, story.now)
    body = body_of(visitor.get(f"/check/{code}"))
    assert f'class="status {status}"' in body
    printed = visitor.get(f"/check/{code}/certificate.pdf").status_code
    assert printed == (200 if status == "expired" else 404)
    if status == "replaced":
        corrected = code_of(story, certificate_id=uuid.UUID(int=11))
        body = body_of(visitor.get(f"/check/{corrected}"))
        assert "Zoe O’Neill" in body
        assert 'class="status valid"' in body


def test_a_live_session_and_its_trainer_are_shown(story: Story, visitor: Client) -> None:
    _, release_id = story.shared_course()
    person, session_id, trainer_id = story.employee(), uuid.uuid4(), uuid.uuid4()
    starts_at = story.now - timedelta(days=3)
    story.tell(
        [
            kinds.TrainerNamed(
                fact_id=uuid.uuid4(), at=BEGIN, trainer_profile_id=trainer_id, trainer_name="Ines Duarte"
            ),
            kinds.LiveSessionHeld(
                fact_id=uuid.uuid4(),
                at=starts_at,
                live_session_id=session_id,
                course_release_id=release_id,
                format=LiveSessionFormat.ON_SITE,
                starts_at=starts_at,
                ends_at=starts_at + timedelta(hours=2),
                minutes=120,
                trainer_profile_id=trainer_id,
            ),
            kinds.AttendanceMarked(
                fact_id=uuid.uuid4(),
                at=starts_at + timedelta(hours=3),
                live_session_id=session_id,
                learner_profile_id=person,
                attended=Attendance.FULL,
                marked_by=MarkedBy.TRAINER,
            ),
        ]
    )
    capture_all(story.organization_id, story.now)
    code = code_of(story, learner_profile_id=person)
    body = body_of(visitor.get(f"/check/{code}"))
    assert "in a live session on site" in body
    assert "120 minutes, led by Ines Duarte" in body


def test_an_erased_holder_and_a_code_that_never_was_get_the_same_answer(
    story: Story, visitor: Client, django_assert_num_queries: Any
) -> None:
    person, _, code = earn(story)
    erase_person(organization_id=story.organization_id, learner_profile_id=person, at=story.now)
    answers = []
    for path in (f"/check/{code}", "/check/00000-00000-00000-00000", "/check/nonsense"):
        with django_assert_num_queries(1 + settings.CLUSTER):  # a cluster also looks up the companies' nodes
            answers.append(visitor.get(path))
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert len({answer.headers.pop("X-Request-Id") for answer in answers}) == 3
    assert len({tuple(sorted(answer.headers.items())) for answer in answers}) == 1
    assert visitor.get(f"/check/{code}/certificate.pdf").status_code == 404
    capture_all(story.organization_id, story.now)
    assert visitor.get(f"/check/{code}").content == answers[1].content


def test_guessing_is_slowed_down(db: None, visitor: Client) -> None:
    statuses = [visitor.get("/check/00000-00000-00000-00000").status_code for _ in range(CHECKS_PER_MINUTE + 1)]
    assert statuses == [404] * CHECKS_PER_MINUTE + [429]
    refused = visitor.get("/check/00000-00000-00000-00001")
    assert int(refused.headers["Retry-After"]) in range(1, 61)


def test_codes_and_links_stay_out_of_logs(
    story: Story, visitor: Client, rf: Any, caplog: pytest.LogCaptureFixture
) -> None:
    _, _, code = earn(story)
    with caplog.at_level(logging.DEBUG):
        visitor.get(f"/check/{code}")
        visitor.get(f"/check/{code}x")
        visitor.post(f"/check/{code}")
    assert code not in caplog.text
    request = rf.get(f"/sign/{code}?x={code}")
    assert PrivatePathsRequestMiddleware.format_request(request) == "GET /sign/[redacted]"
    assert without_private_parts(f"Not Found: /check/{code}/certificate.pdf") == (
        "Not Found: /check/[redacted]/certificate.pdf"
    )


@pytest.mark.browser
def test_the_page_fits_a_phone_and_a_desk(served: str, browser: Any) -> None:
    story = Story(datetime.now(UTC))
    _, _, code = earn(story, assessed=True)
    for width, scheme in ((390, "light"), (1280, "dark")):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        complaints: list[str] = []
        page.on("console", lambda said, heard=complaints: heard.append(said.text) if said.type == "error" else None)
        page.goto(f"{served}/check/{code}")
        page.get_by_text("This certificate is valid today.").wait_for()
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(overflow) <= 0
        assert complaints == []
        if os.environ.get("SCREENSHOTS"):
            page.screenshot(path=f"{os.environ['SCREENSHOTS']}/check-{width}.png", full_page=True)
        page.close()
