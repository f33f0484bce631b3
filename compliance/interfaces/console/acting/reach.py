"""Whom a share reaches on the day it is made or changed, so that staff hear before and after when that is nobody."""

import uuid
from datetime import datetime

from compliance.facts.shares import queries

_NOBODY = {
    "everyone": "Nobody is here {through} today. Whoever comes is reached from then on.",
    "teams": "Nobody {through} is in the chosen teams today. Whoever joins them is reached from then on.",
    "people": "None of the people named is here {through} today.",
}


def reached(organization_id: uuid.UUID, share_id: uuid.UUID, at: datetime) -> tuple[int, list[str]]:
    """How many people an open share reaches at `at`, and in sentences why it has no effect, if it has none.

    In the company's context.
    """
    title, kind, audience, doors, policy_doors, people, published = queries.reached(organization_id, share_id, at)
    if not published:
        thing = "policy" if kind == "policy" else "course"
        return 0, [f"“{title}” has no published version: nobody owes this {thing} until one is published."]
    if people:
        return people, []
    if policy_doors is not None and not set(doors) & set(policy_doors):
        return 0, [f"This share reaches nobody: “{title}” is for {_through(policy_doors)} only."]
    through = f"as {' or '.join(doors)}" if doors else ""
    return 0, [f"This share reaches nobody. {_NOBODY[audience].format(through=through)}"]


def _through(doors: list[str]) -> str:
    return " and ".join(f"{door}s" for door in doors)
