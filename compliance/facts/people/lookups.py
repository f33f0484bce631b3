"""SQL that joins current data about people to rows of other rooms, by one index lookup for each row."""

PROFILES = "people_profile p WHERE p.organization_id = (SELECT %(organization)s::uuid)"
"""What follows FROM: the people `p` of the company; conditions are appended with AND."""


def balance(stated: str) -> str:
    """SQL of how many more of some facts state `stated`, a boolean, than its opposite.

    Where they alternate it is one or zero: what holds after all of them, also after several of one moment.
    """
    return f"sum(CASE WHEN {stated} THEN 1 ELSE -1 END)"


def last_moves(keys: str, condition: str) -> str:
    """SQL of the last joining or leaving of teams of each of `keys`, with `at` and `joined`; `condition` is of events.

    A moment at which as many joinings as leavings of one team take effect changes nothing, as in the rules: who leaves
    and comes back at once is still a member, and who comes and leaves at once is none.
    """
    return f"""SELECT DISTINCT ON ({keys}) {keys}, at, joined FROM (
    SELECT {keys}, at, {balance("joined")} > 0 AS joined FROM people_teammembership WHERE {condition}
    GROUP BY {keys}, at HAVING {balance("joined")} <> 0) moves ORDER BY {keys}, at DESC"""  # noqa: S608 - names and SQL of our own


def entry(alias: str) -> str:
    """SQL that joins the person of `alias`, which has a profile or, without one, an invitation's `record_id`.

    The invitation is `i`, the employment of the person who joined by it `e`, and `p` is that person or the profile's.
    """
    # CASE, because the planner treats COALESCE as leaky, and row-level security then reads every profile.
    return f"""
LEFT JOIN LATERAL (SELECT person_name, work_email, erased_at FROM people_invitation i
    WHERE i.organization_id = (SELECT %(organization)s::uuid) AND i.invitation_id = {alias}.record_id
      AND {alias}.learner_profile_id IS NULL LIMIT 1) i ON true
LEFT JOIN LATERAL (SELECT learner_profile_id FROM people_employment e
    WHERE e.organization_id = (SELECT %(organization)s::uuid) AND e.invitation_id = {alias}.record_id
      AND {alias}.learner_profile_id IS NULL LIMIT 1) e ON true
LEFT JOIN LATERAL (SELECT person_name, work_email, erased_at FROM people_profile p
    WHERE p.organization_id = (SELECT %(organization)s::uuid)
      AND p.learner_profile_id = CASE WHEN {alias}.learner_profile_id IS NULL THEN e.learner_profile_id
                                      ELSE {alias}.learner_profile_id END LIMIT 1) p ON true"""  # noqa: S608 - ours


ENTRY_ERASED_AT = "coalesce(p.erased_at, CASE WHEN e.learner_profile_id IS NULL THEN i.erased_at END)"
"""SQL of when the person or invitation joined by `entry` was erased."""


def contact_company(alias: str) -> str:
    """SQL of the company of which the person of `alias` is a contact by its `door` at %(moment)s.

    It reads what captures up to %(capture_sequence)s processed (`facts.captured`).
    """
    return f"""(SELECT c.company FROM people_contact c WHERE c.organization_id = (SELECT %(organization)s::uuid)
      AND c.learner_profile_id = {alias}.learner_profile_id AND c.door = {alias}.door AND c.joined
      AND c.at <= %(moment)s AND c.capture_sequence <= %(capture_sequence)s AND c.company IS NOT NULL
      ORDER BY c.at DESC, c.id DESC LIMIT 1)"""  # noqa: S608 - names and SQL of our own
