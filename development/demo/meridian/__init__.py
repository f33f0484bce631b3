"""Meridian Instruments: a maker of measuring devices near Paris, about sixty people, two years of history.

Its story has every outcome, access state, certificate state, policy state, act and door that can occur today, a late
fact, a receipt whose policy is asked for again, somebody who returned, a policy without a day from which it applies, a
course for partners only, completions voided before renewals, a certificate corrected under a new name, and a person who
was erased.
"""

import uuid
from datetime import date

from development.demo.meridian import afterwards, courses, people, policies
from development.demo.telling import Story

NAME = "Meridian Instruments"
SLUG = "meridian"
ZONE = "Europe/Paris"
DAYS_OF_HISTORY = 730
LEARNERS = policies.WAITING
OTHER_LEARNERS = ("Farid Haddad", "Henrik Dahl")


def tell(organization_id: uuid.UUID, today: date) -> Story:
    """The whole story as facts, up to `today`."""
    story = Story(organization_id, SLUG, ZONE, today)
    people.tell(story)
    courses.tell(story)
    policies.tell(story)
    afterwards.tell(story)
    return story
