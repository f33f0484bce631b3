"""Corrections at Meridian Instruments: completions voided, certificates corrected, somebody erased."""

from development.demo.meridian.courses import ANTI_BRIBERY, EXPORT, PHISHING, PRIVACY
from development.demo.meridian.people import TEAMS
from development.demo.meridian.policies import CONDUCT
from development.demo.telling import Story


def tell(story: Story) -> None:
    """Adds it to the story."""
    _voided(story)
    _certificates(story)
    _erased(story)


def _voided(story: Story) -> None:
    """Completions recorded by mistake: a plain one, one whose renewal was done, one whose renewal was open."""
    for name, title, completed, days_ago in (
        (TEAMS["Engineering"][4], PRIVACY, 233, 140),
        ("Jonas Weber", ANTI_BRIBERY, 615, 230),
        ("Hugo Bernard", ANTI_BRIBERY, 625, 280),
    ):
        story.tell(
            "completion_voided",
            days_ago,
            completion_receipt_id=story.receipt_of(name, title, completed),
            actor_id=story.id("administrator"),
        )


def _certificates(story: Story) -> None:
    """Two corrected, one revoked; others expire or are renewed in the ordinary way."""
    story.tell(
        "certificate_corrected",
        360,
        certificate_id=story.id("certificate/corrected"),
        supersedes_id=story.certificate(TEAMS["Engineering"][0], PHISHING, 395),
        person_name="Amélie Laurent-Petit",
        actor_id=story.id("administrator"),
    )
    # Her name changed after it was issued: the earlier one keeps the old name, the correction has the new one.
    story.tell(
        "certificate_corrected",
        190,
        certificate_id=story.id("certificate/new name"),
        supersedes_id=story.certificate("Margaux Faure", ANTI_BRIBERY, 300),
        person_name="Margaux Faure-Nguyen",
        actor_id=story.id("administrator"),
    )
    story.tell(
        "certificate_revoked",
        65,
        certificate_id=story.certificate(TEAMS["Sales"][1], EXPORT, 270),
        actor_id=story.id("administrator"),
    )


def _erased(story: Story) -> None:
    """Somebody with records, a certificate and a receipt whose personal data was erased."""
    name = "Edgar Poulain"
    story.joins(name, 600, ("Sales",))
    story.completes(name, ANTI_BRIBERY, 580)
    story.signs(name, CONDUCT, 1, 560)
    story.tell("person_erased", 100, learner_profile_id=story.profile(name))
