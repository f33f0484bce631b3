"""Words for days, moments, states and fields, in one place, in the language of compliance managers.

The values of the contract (`not_due_yet`, `due_at`) are for programs. Pages, downloaded tables and sentences of acts
use these words instead.
"""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as formatted
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from compliance.interfaces.console.page import Words

STATES: dict[str, Words] = {
    # outcomes of training records
    "completed_on_time": _("Done on time"),
    "completed_late": _("Done late"),
    "completed_before_requirement": _("Done before it was asked for"),
    "not_due_yet": _("To do"),
    "overdue": _("Overdue"),
    "missed": _("Missed"),
    "excused": _("Excused"),
    "waived": _("Waived"),
    "optional_not_done": _("Optional, not done"),
    # whether it must be done
    "required": _("Required"),
    "optional": _("Optional"),
    "no_longer_required": _("No longer required"),
    "superseded": _("Replaced by a newer version"),
    # where a deadline comes from
    "share_deadline": _("A day set for everybody"),
    "days_after_added": _("Some days after being added"),
    "renewal": _("Renewal of a certificate"),
    "override": _("Set for this person"),
    "none": _("None"),
    # why a record ended
    "source_removed": _("Removed at the source"),
    "person_left": _("The person left"),
    "audience_changed": _("No longer meant for this person"),
    "share_ended": _("No longer asked for"),
    "course_withdrawn": _("The course was withdrawn"),
    "release_superseded": _("A newer version took its place"),
    # what was done to what a person owes
    "waive": _("Waived"),
    "reinstate": _("Asked for again"),
    "set_deadline": _("Deadline set"),
    # reasons for a waiver
    "equivalent_training": _("Equivalent training"),
    "external_certificate": _("Certificate from elsewhere"),
    "not_applicable_to_role": _("Does not apply to the role"),
    "leave_of_absence": _("Leave of absence"),
    "medical": _("Medical reasons"),
    "administrative": _("Administrative reasons"),
    "entered_in_error": _("Entered in error"),
    # reasons for an absence
    "leave": _("Leave"),
    "parental_leave": _("Parental leave"),
    "long_absence": _("Long absence"),
    "other": _("Something else"),
    # policies and receipts
    "to_do": _("To sign"),
    "signed": _("Signed"),
    "acknowledged": _("Acknowledged"),
    "sign": _("Sign"),
    "acknowledge": _("Acknowledge"),
    "ask_again": _("Everybody is asked again"),
    "editorial": _("Wording only"),
    # people and invitations
    "active": _("Active"),
    "suspended": _("Suspended"),
    "ended": _("Left"),
    "erased": _("Erased"),
    "invited": _("Invited"),
    "staff_practice": _("Practice account"),
    "invitation": _("Invitation"),
    "pending": _("Not answered yet"),
    "accepted": _("Accepted"),
    "revoked": _("Withdrawn"),
    "expired": _("Expired"),
    "employee": _("Employee"),
    "partner": _("Partner"),
    "customer": _("Customer"),
    # certificates and live sessions
    "valid": _("Valid"),
    "replaced": _("Replaced"),
    "completion": _("For taking part"),
    "assessed": _("For passing the questions"),
    "full": _("There all the time"),
    "partial": _("There for a part"),
    "absent": _("Not there"),
    "online": _("Online"),
    "on_site": _("On site"),
    "trainer": _("The trainer"),
    "svc": _("This service"),
    # course versions
    "course_release": _("Published version"),
    "release_unavailable": _("Version that is not known"),
    "lesson_share_without_course_release": _("One lesson alone"),
    # why a version of a record was written
    "first": _("First version"),
    "change": _("Change"),
    "sweep": _("The clock"),
    # how far work is
    "waiting": _("Waiting"),
    "running": _("Running"),
    "prepared": _("Waits for a second person"),
    # webhooks
    "failing": _("Failing"),
    "paused": _("Paused"),
    "done": _("Done"),
    "failed": _("Failed"),
}
"""The words for each value of the contract."""

FIELDS: dict[str, Words] = {
    "access_state": _("Access"),
    "account_email": _("Address of the account"),
    "act": _("What people do"),
    "assigned_at": _("Asked for since"),
    "assignment_id": _("Asked for by"),
    "certificate_id": _("Certificate"),
    "certificate_title": _("Certificate"),
    "change_kind": _("Kind of change"),
    "changed_at": _("Changed"),
    "changed_by": _("Changed by"),
    "check_code": _("Check code"),
    "company": _("Their company"),
    "completed_at": _("Done"),
    "completion_receipt_id": _("Receipt of the completion"),
    "content_sha256": _("Content fingerprint"),
    "course_id": _("Course"),
    "course_release_id": _("Version"),
    "course_release_version": _("Version"),
    "course_title": _("Course"),
    "cycle_id": _("Asked again after the receipt"),
    "days_late": _("Days late"),
    "deployment_id": _("Deployment"),
    "document_sha256": _("Fingerprint of the text"),
    "door": _("Belongs to"),
    "doors": _("For"),
    "due_at": _("Due by"),
    "due_basis": _("Where the deadline comes from"),
    "due_time_zone": _("Time zone of the deadline"),
    "earned_at": _("Earned"),
    "effective_on": _("In effect from"),
    "ended_at": _("Ended"),
    "ended_reason": _("Why it ended"),
    "entry_type": _("Kind of entry"),
    "invitation_expires_at": _("Invitation ends"),
    "invitation_id": _("Invitation"),
    "invitation_state": _("Invitation as stored"),
    "invitation_status": _("Invitation"),
    "invited_at": _("Invited"),
    "issued_at": _("Issued"),
    "joined_at": _("Joined"),
    "kind": _("Kind"),
    "learner_profile_id": _("Person"),
    "left_at": _("Left"),
    "learning_space_id": _("Learning space"),
    "lessons": _("Lessons"),
    "live_session_ends_at": _("Live session ended"),
    "live_session_format": _("Live session was"),
    "live_session_id": _("Live session"),
    "live_session_marked_by": _("Attendance marked by"),
    "live_session_minutes": _("Minutes of the live session"),
    "live_session_starts_at": _("Live session began"),
    "no_required_records": _("Nothing required is open"),
    "obligation_change_id": _("Change of what is owed"),
    "organization_id": _("Company"),
    "outcome": _("State"),
    "person_id": _("Entry"),
    "person_name": _("Name"),
    "policy_title": _("Policy"),
    "previous_sha256": _("Fingerprint of the receipt before"),
    "published_at": _("Published"),
    "publisher_id": _("Published by"),
    "receipt_id": _("Receipt"),
    "receipt_sha256": _("Fingerprint of the receipt"),
    "record_id": _("Identifier of the record"),
    "records_completed": _("Courses done"),
    "records_owed": _("Courses to do"),
    "reminders_sent": _("Reminders"),
    "renew_months": _("Asked for again after (months)"),
    "renews_certificate_id": _("Renews the certificate"),
    "renews_id": _("Renews"),
    "requirement": _("Required or optional"),
    "share_ids": _("Asked for by"),
    "sign_in_methods": _("Signed in by"),
    "signature_sha256": _("Fingerprint of the signature"),
    "signed_at": _("Signed"),
    "signer_company": _("Their company"),
    "source_kind": _("Made from"),
    "state": _("State"),
    "statement": _("What people confirm"),
    "statement_sha256": _("Fingerprint of what people confirm"),
    "status": _("State"),
    "supersedes_id": _("Takes the place of"),
    "team_ids": _("Teams"),
    "trainer_name": _("Trainer"),
    "valid_until": _("Valid until"),
    "version": _("Version"),
    "version_digest": _("Fingerprint of the version"),
    "waived_at": _("Waived"),
    "waiver_actor_id": _("Waived by"),
    "waiver_reason_code": _("Why it was waived"),
    "work_email": _("Work email"),
}
"""The words for the fields of rows."""

SHORT: dict[str, Words] = {
    "completed_on_time": _("On time"),
    "completed_late": _("Late"),
    "completed_before_requirement": _("Done before"),
    "optional_not_done": _("Optional"),
}
"""States in a word or two, for narrow cells."""


def state(value: object) -> str:
    """A value of the contract in words; one without words as it is, with blanks for underscores."""
    text = str(value or "")
    found = STATES.get(text)
    return text.replace("_", " ") if found is None else str(found)


def field(name: str) -> str:
    """A field of a row in words; one without words as it is, with blanks for underscores."""
    found = FIELDS.get(name)
    return name.replace("_", " ") if found is None else str(found)


def written_day(day: date) -> str:
    """A day as people write it: 22 November 2026."""
    return formatted(day, pgettext("a day, in the format characters of Django", "j F Y"))


def written_time(moment: datetime, zone: ZoneInfo) -> str:
    """The time of day on the clock of a zone: 14:05."""
    return f"{moment.astimezone(zone):%H:%M}"


def written_moment(moment: datetime, zone: ZoneInfo) -> str:
    """A moment as people write it, on the clock of a zone: 22 November 2026, 14:05."""
    day, time = written_day(moment.astimezone(zone).date()), written_time(moment, zone)
    return pgettext("a moment", "{day}, {time}").format(day=day, time=time)


def written_instant(moment: datetime) -> str:
    """A moment for whoever reads in any zone: 22 November 2026, 14:05 UTC."""
    return f"{written_moment(moment, ZoneInfo('UTC'))} UTC"


def written_number(value: int) -> str:
    """A number with the thousands separators of the reader's language."""
    return number_format(value, use_l10n=True, force_grouping=True)
