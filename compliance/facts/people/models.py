"""People as source rows. Personal columns are listed in facts/personal_columns.py, which erasure clears.

Changes are kept as events with the moment at which they take effect, so that facts may arrive in any order; queries
fold them.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from compliance.contentfile import limits
from compliance.facts.people.searching import search_text
from compliance.tenancy.lower_case import lower_case
from compliance.tenancy.models import CompanyRow


class Profile(CompanyRow):
    """A person within a company. The personal columns hold the current values: the latest of each detail."""

    learner_profile_id = models.UUIDField()
    person_name = models.TextField(null=True)
    account_email = models.TextField(null=True)
    work_email = models.TextField(null=True)
    erased_at = models.DateTimeField(null=True)
    search_text = search_text("person_name", "work_email", "account_email")
    account_email_lower = lower_case("account_email")
    work_email_lower = lower_case("work_email")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "learner_profile_id"], name="profile_once")]
        # Over all companies, also for the function people_with_address.
        indexes = [
            models.Index(fields=["account_email_lower"], name="profile_by_account_address"),
            models.Index(fields=["work_email_lower"], name="profile_by_work_address"),
        ]


class PersonalDetail(CompanyRow):
    """What a fact states about a person's name and addresses, and from when; null if it states nothing."""

    fact_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    at = models.DateTimeField()
    person_name = models.TextField(null=True)
    account_email = models.TextField(null=True)
    work_email = models.TextField(null=True)

    class Meta:
        indexes = [models.Index(fields=["organization_id", "learner_profile_id", "at"], name="detail_by_person")]


class PersonRoles(CompanyRow):
    """An event: from `at` on these are the person's roles, all of them. Null once the person is erased.

    A role describes a person ("first-aider"), and in a small company it identifies one, so it is personal.
    """

    fact_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    at = models.DateTimeField()
    role_ids = ArrayField(models.CharField(max_length=limits.LESSON_ID_LENGTH), null=True)

    class Meta:
        indexes = [models.Index(fields=["organization_id", "learner_profile_id", "at"], name="roles_by_person")]


class Team(CompanyRow):
    """A team and its current name (the one of the latest fact)."""

    team_id = models.UUIDField()
    created_at = models.DateTimeField()
    name = models.TextField()
    name_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "team_id"], name="team_once")]


class Invitation(CompanyRow):
    """An invitation. The employment that accepted it names it. `erased_at`: erased without anybody having joined."""

    invitation_id = models.UUIDField()
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    erased_at = models.DateTimeField(null=True)
    team_ids = ArrayField(models.UUIDField(), default=list)
    work_email = models.TextField(null=True)
    person_name = models.TextField(null=True)
    search_text = search_text("person_name", "work_email")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "invitation_id"], name="invitation_once")]
        indexes = [
            models.Index(
                fields=["organization_id"], name="invitation_erased", condition=models.Q(erased_at__isnull=False)
            )
        ]


class Employment(CompanyRow):
    """One stay of a person in the company, from joining to leaving."""

    person_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    invitation_id = models.UUIDField(null=True)
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)
    staff_practice = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "person_id"], name="employment_once")]
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id"], name="employment_by_profile"),
            models.Index(fields=["organization_id", "invitation_id"], name="employment_by_invitation"),
        ]


class Suspension(CompanyRow):
    """An event: the employment was suspended (`suspended` true) or resumed at `at`."""

    fact_id = models.UUIDField()
    person_id = models.UUIDField()
    at = models.DateTimeField()
    suspended = models.BooleanField()

    class Meta:
        indexes = [models.Index(fields=["organization_id", "person_id"], name="suspension_by_person")]


class Contact(CompanyRow):
    """An event: a partner or customer came (`joined` true, with the company they come from) or went at `at`."""

    fact_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    door = models.CharField(max_length=10)
    at = models.DateTimeField()
    joined = models.BooleanField()
    company = models.TextField(null=True)
    capture_sequence = models.BigIntegerField(null=True, help_text="The capture that took it in; null until then.")

    class Meta:
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id"], name="contact_by_person"),
            models.Index(
                fields=["organization_id", "at"],
                name="contact_not_captured",
                condition=models.Q(capture_sequence__isnull=True),
            ),
        ]


class TeamMembership(CompanyRow):
    """An event: the person joined (`joined` true) or left the team at `at`."""

    fact_id = models.UUIDField()
    team_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    at = models.DateTimeField()
    joined = models.BooleanField()

    class Meta:
        indexes = [
            models.Index(fields=["organization_id", "learner_profile_id"], name="membership_by_person"),
            models.Index(fields=["organization_id", "team_id"], name="membership_by_team"),
        ]


class Absence(CompanyRow):
    """A person is away from `first_day` to `last_day`, of the company's days: counted from `at` until `voided_at`."""

    absence_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    at = models.DateTimeField()
    first_day = models.DateField()
    last_day = models.DateField()
    reason_code = models.CharField(max_length=14, null=True)
    voided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "absence_id"], name="absence_once")]
        indexes = [models.Index(fields=["organization_id", "learner_profile_id"], name="absence_by_person")]


class Erasure(CompanyRow):
    """The erasure of a person at the company's instruction. It stays for ever, and holds no personal data."""

    append_only = True

    learner_profile_id = models.UUIDField()
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "learner_profile_id"], name="erasure_once")]


class Identity(models.Model):
    """What lies behind a commitment (`svc.identity/1`) in the rows of a person or an invitation.

    One row for each displayed name and address, with the first capture that found it; the last one is current. Erasure
    clears salt, name and address of all of them; the commitment stays, as it does in the rows.
    """

    pk = models.CompositePrimaryKey("organization_id", "subject_id", "capture_sequence")
    organization_id = models.UUIDField(editable=False)
    subject_id = models.UUIDField(help_text="learner_profile_id or invitation_id")
    capture_sequence = models.BigIntegerField()
    identity_sha256 = models.BinaryField(max_length=32)
    salt = models.BinaryField(max_length=16, null=True)
    person_name = models.TextField(null=True)
    work_email = models.TextField(null=True)

    class Meta:
        # The company first: with the commitment alone, a planner without statistics also reads all rows of the company.
        indexes = [models.Index(fields=["organization_id", "identity_sha256"], name="identity_of_company")]
