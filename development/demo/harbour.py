"""Harbour & Holt: a small shipping agent in Auckland, a dozen people, a year and a half of history.

A second company in another time zone: it shares no identifier with the first, and its days start half a day earlier.
"""

import uuid
from datetime import date

from development.demo.telling import Story

NAME = "Harbour & Holt"
SLUG = "harbour"
ZONE = "Pacific/Auckland"
DAYS_OF_HISTORY = 540
LEARNERS = ("Aroha Tūhoe", "Benjamin Clarke")
OTHER_LEARNERS: tuple[str, ...] = ()

CREW = [
    "Aroha Tūhoe",
    "Benjamin Clarke",
    "Caitlin O'Neill",
    "Daniel Faleolo",
    "Emma Whitaker",
    "Finn MacLeod",
    "Grace Tamati",
    "Hemi Walker",
    "Isla Robertson",
    "Jack Sinclair",
    "Kiri Ngata",
    "Liam Fraser",
]
DANGEROUS_GOODS = "Dangerous goods at sea"
SAFETY = "Wharf safety"
ALCOHOL = "Alcohol and drugs"
PHISHING = "Spot the hook: phishing at work"


def tell(organization_id: uuid.UUID, today: date) -> Story:
    """The whole story as facts, up to `today`."""
    story = Story(organization_id, SLUG, ZONE, today)
    for team in ("Wharf", "Office"):
        story.team(team, 535)
    for place, name in enumerate(CREW):
        story.joins(name, 530 - 4 * place, ("Wharf" if place % 2 else "Office",))
    story.course(
        DANGEROUS_GOODS,
        525,
        {"title": "Dangerous goods at sea", "kind": "assessed", "valid_months": 12, "renew_days_before": 60},
    )
    story.release(DANGEROUS_GOODS, 1, 524, ("Classes and labels", "Segregation"))
    story.share(DANGEROUS_GOODS, 523, deadline={"basis": "days_after_added", "days": 45})
    for place, name in enumerate(CREW):
        if place % 4 != 3:
            story.completes(name, DANGEROUS_GOODS, 460 - 2 * place, assessed=True)
    for name in CREW[:2]:
        story.completes(name, DANGEROUS_GOODS, 80, assessed=True)
    story.course(SAFETY, 400)
    story.release(SAFETY, 1, 399, ("Forklifts", "Loads", "Weather"))
    story.share(SAFETY, 398, name="wharf", audience=story.teams("Wharf"), deadline=story.by(300))
    for name in CREW[1:8:2]:
        story.completes(name, SAFETY, 320)
    story.course(PHISHING, 45, {"title": "Phishing aware", "kind": "assessed", "valid_months": 24})
    story.release_of_package("phishing", PHISHING, 1, 44)
    story.share(PHISHING, 40, deadline={"basis": "days_after_added", "days": 46})
    for name in CREW[4:8]:
        story.completes(name, PHISHING, 20, assessed=True)
    story.policy(
        ALCOHOL,
        1,
        420,
        act="sign",
        doors=("employee",),
        change_kind="first",
        sections=(("On duty", "Nobody works a shift under the influence."), ("Testing", "Tests are random and fair.")),
        renew_months=12,
        statement="I have read the alcohol and drugs policy and I will follow it.",
    )
    story.policy_share(ALCOHOL, 418, deadline={"basis": "days_after_added", "days": 30}, doors=("employee",))
    for place, name in enumerate(CREW[:10]):
        story.signs(name, ALCOHOL, 1, 400 - place, drawn=place % 2 == 1)
    # One of the crew left and returned, with finished and with open courses.
    story.tell("employee_left", 33, person_id=story.person(CREW[11]))
    story.joins(CREW[11], 12, ("Wharf",), stay=2)
    return story
