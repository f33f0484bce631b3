"""The conditions that find a person's rows in this room, which erasure clears (see `facts.people.erasing`)."""

from compliance.facts.people.erasing import BY_PROFILE

WHOSE = {
    "learning_learnersession": BY_PROFILE,
    "learning_learnerpreference": BY_PROFILE,
    "learning_answer": (
        f"organization_id = %(organization)s AND take_id IN (SELECT take_id FROM learning_take WHERE {BY_PROFILE})"  # noqa: S608
    ),
}
