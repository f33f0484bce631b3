"""How the console shows each register: the API's own listing, which columns, and which filters (issue 8, part 1).

The rows are those of `/v1`, made by the same code; a filter is one more condition on the version in force.
"""

from dataclasses import dataclass, field

from compliance.registers import certificates, courses, people, policies, training
from compliance.registers.pages import Listing
from compliance.rules.vocabulary import AccessState


@dataclass(frozen=True)
class Column:
    """A column: the field of the row, its heading, and how it is shown."""

    name: str
    heading: str
    kind: str = "text"  # how cell.html shows it, and how wide it is at least


@dataclass(frozen=True)
class Reading:
    """A register as a page."""

    title: str
    explains: str
    listing: Listing
    columns: tuple[Column, ...]
    record: str = "record_id"
    register: str = ""
    filters: dict[str, tuple[str, str]] = field(default_factory=dict)  # word in the address: (name, condition)
    by_course: bool = False
    by_period: bool = False
    whole: bool = False  # from the beginning of the history, unless a day is chosen
    few: bool = False  # even a large company has so few that they are counted at once

    def filtered(self, word: str) -> Listing:
        """The listing with the condition of one of the filters; the listing itself for none."""
        if word not in self.filters:
            return self.listing
        return self.listing._replace(condition=f"({self.listing.condition}) AND ({self.filters[word][1]})")


_TRAINING_COLUMNS = (
    Column("person_name", "Person", "person"),
    Column("course_id", "Course", "course"),
    Column("outcome", "Outcome", "outcome"),
    Column("assigned_at", "Assigned", "day"),
    Column("due_at", "Due", "moment"),
    Column("completed_at", "Completed", "moment"),
    Column("reminders_sent", "Reminders", "number"),
    Column("record_id", "Story", "record"),
)
_UNDONE = "v.done_at IS NULL AND v.waived_at IS NULL"
_TRAINING_FILTERS = {
    "overdue": ("Overdue", f"v.state = 'required' AND {_UNDONE} AND v.due_at < %(moment)s"),
    "open": ("Owed and not done", f"v.state = 'required' AND {_UNDONE}"),
    "done": ("Completed", "v.done_at IS NOT NULL AND v.done_at <= %(moment)s"),
    "required": ("Required", "v.state = 'required' AND (v.waived_at IS NULL OR v.done_at IS NOT NULL)"),
    "required-done": ("Required and completed", "v.state = 'required' AND v.done_at <= %(moment)s"),
    "waived": ("Waived", "v.waived_at IS NOT NULL AND v.done_at IS NULL"),
    "optional": ("Optional and not done", f"v.state = 'optional' AND {_UNDONE}"),
}

READINGS: dict[str, Reading] = {
    "training-records": Reading(
        "Training records",
        "What every employee owes at the chosen moment, with its outcome then.",
        training.RECORDS,
        _TRAINING_COLUMNS,
        register="training-records",
        filters=_TRAINING_FILTERS,
        by_course=True,
    ),
    "period": Reading(
        "Training records of a period",
        "Everything owed at any time between two days, with its outcome at the end of the period or when it ended.",
        training.PERIOD,
        (*_TRAINING_COLUMNS[:-1], Column("ended_at", "Ended", "moment"), _TRAINING_COLUMNS[-1]),
        register="training-records",
        filters=_TRAINING_FILTERS | {"ended": ("Ended", "v.ends_at IS NOT NULL AND v.ends_at <= %(moment)s")},
        by_course=True,
        by_period=True,
    ),
    "people": Reading(
        "People",
        "Employees and invitations that existed in the period, as they stood at its end.",
        people.PEOPLE,
        (
            Column("person_name", "Person", "person"),
            Column("work_email", "Work email"),
            Column("access_state", "Access", "badge"),
            Column("entry_type", "Entry", "word"),
            Column("joined_at", "Joined", "moment"),
            Column("left_at", "Left", "moment"),
            Column("invitation_status", "Invitation", "badge"),
            Column("records_owed", "Owed", "number"),
            Column("records_completed", "Completed", "number"),
            Column("person_id", "Story", "record"),
        ),
        record="person_id",
        register="people",
        filters={
            state.value: (state.value.replace("_", " ").capitalize(), f"v.state = '{state.value}'")
            for state in AccessState
        },
        by_period=True,
    ),
    "certificates": Reading(
        "Certificates",
        "Certificates issued by the chosen moment, with their state then.",
        certificates.CERTIFICATES,
        (
            Column("person_name", "Person", "person"),
            Column("certificate_title", "Certificate"),
            Column("status", "Status", "badge"),
            Column("kind", "Kind", "word"),
            Column("earned_at", "Earned", "moment"),
            Column("valid_until", "Valid until", "moment"),
            Column("changed_at", "Changed", "moment"),
            Column("check_code", "Check code", "check"),
            Column("certificate_id", "Story", "record"),
        ),
        record="certificate_id",
        register="certificates",
        filters={
            "valid": ("Valid", "v.state = 'valid' AND (v.due_at IS NULL OR v.due_at >= %(moment)s)"),
            "expired": ("Expired", "v.state = 'valid' AND v.due_at < %(moment)s"),
            "expiring": (
                "Expires within 90 days",
                "v.state = 'valid' AND v.due_at >= %(moment)s AND v.due_at < %(moment)s + interval '90 days'",
            ),
            "revoked": ("Revoked", "v.state = 'revoked'"),
            "replaced": ("Replaced", "v.state = 'replaced'"),
        },
    ),
    "courses": Reading(
        "Course versions",
        "The published versions behind the training records, with their fingerprints.",
        courses.COURSES,
        (
            Column("course_title", "Course"),
            Column("version", "Version", "number"),
            Column("published_at", "Published", "moment"),
            Column("source_kind", "Source", "badge"),
            Column("content_sha256", "Content", "short"),
            Column("row_id", "Story", "record"),
        ),
        record="row_id",
        register="courses",
        few=True,
    ),
    "policies": Reading(
        "Policy versions",
        "Every policy version published by the chosen moment, oldest first.",
        policies.POLICIES,
        (
            Column("policy_title", "Policy", "policy"),
            Column("version", "Version", "number"),
            Column("act", "Act", "word"),
            Column("doors", "Doors", "list"),
            Column("change_kind", "Change", "word"),
            Column("effective_on", "Effective on"),
            Column("renew_months", "Renews (months)", "number"),
            Column("published_at", "Published", "moment"),
            Column("version_digest", "Digest", "short"),
        ),
        record="course_release_id",
        register="policies",
        few=True,
    ),
    "policy-records": Reading(
        "Policy records",
        "Everyone who owed a policy version at the chosen moment, with the receipt that settled it.",
        policies.POLICY_RECORDS,
        (
            Column("person_name", "Person", "person"),
            Column("policy_title", "Policy"),
            Column("version", "Version", "number"),
            Column("door", "Door", "badge"),
            Column("state", "State", "badge"),
            Column("due_at", "Due", "moment"),
            Column("signed_at", "Signed", "moment"),
            Column("company", "Their company"),
            Column("record_id", "Story", "record"),
        ),
        register="policy-records",
        filters={
            "to_do": ("To do", "v.done_at IS NULL AND (v.due_at IS NULL OR v.due_at >= %(moment)s)"),
            "overdue": ("Overdue", "v.done_at IS NULL AND v.due_at < %(moment)s"),
            "signed": ("Signed", "v.done_at IS NOT NULL"),
        },
    ),
    "acknowledgements": Reading(
        "Receipts",
        "Signed and acknowledged receipts in the order of their chain: all of them, unless a first day is chosen.",
        policies.ACKNOWLEDGEMENTS,
        (
            Column("signed_at", "Signed", "moment"),
            Column("person_name", "Person", "person"),
            Column("policy_title", "Policy"),
            Column("version", "Version", "number"),
            Column("act", "Act", "badge"),
            Column("door", "Door", "badge"),
            Column("signer_company", "Their company"),
            Column("sign_in_methods", "Signed in by"),
            Column("receipt_sha256", "Receipt hash", "short"),
            Column("receipt_id", "Proof", "receipt"),
        ),
        record="receipt_id",
        register="acknowledgements",
        by_period=True,
        whole=True,
    ),
}
