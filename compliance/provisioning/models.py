"""What identity providers and HR systems state of people and teams beyond the facts. Personal columns are erasable."""

from django.db import models

from compliance.tenancy.lower_case import lower_case
from compliance.tenancy.models import CompanyRow


class ProvisionedUser(CompanyRow):
    """A person as one source states them by SCIM: the source's identifier, and the attributes that no fact holds."""

    source_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    external_id = models.TextField(null=True)
    user_name = models.TextField(null=True, help_text="The userName, where it is no e-mail address.")
    attributes = models.JSONField(null=True, help_text="See users.documents.")
    version = models.PositiveIntegerField(default=1)
    changed_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, help_text="Since when the source has the person removed.")
    user_name_lower = lower_case("user_name")

    class Meta:
        indexes = [models.Index(fields=["organization_id", "user_name_lower"], name="provisioned_user_by_name")]
        constraints = [
            models.UniqueConstraint(
                fields=["organization_id", "source_id", "learner_profile_id"], name="provisioned_user_once"
            ),
            models.UniqueConstraint(
                fields=["organization_id", "source_id", "external_id"], name="provisioned_user_by_external_id"
            ),
        ]


class ProvisionedAddress(CompanyRow):
    """An e-mail address of a provisioned user, by which they are found; null once erased.

    Addresses have rows of their own, because row-level security prevents the use of an index on an array.
    """

    source_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    address = models.TextField(null=True, help_text="In lower case.")

    class Meta:
        indexes = [
            models.Index(fields=["organization_id", "source_id", "address"], name="provisioned_address_by_itself")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["organization_id", "learner_profile_id", "source_id", "address"],
                name="provisioned_address_once",
            )
        ]


class ProvisionedGroup(CompanyRow):
    """A team as one source states it by SCIM."""

    source_id = models.UUIDField()
    team_id = models.UUIDField()
    external_id = models.TextField(null=True)
    version = models.PositiveIntegerField(default=1)
    changed_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, help_text="Since when the source has the group removed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "source_id", "team_id"], name="provisioned_group_once"),
            models.UniqueConstraint(
                fields=["organization_id", "source_id", "external_id"], name="provisioned_group_by_external_id"
            ),
        ]


class EmployeeNumber(CompanyRow):
    """The number by which a company's HR identifies a person."""

    learner_profile_id = models.UUIDField()
    employee_number = models.TextField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "learner_profile_id"], name="employee_number_once"),
            models.UniqueConstraint(fields=["organization_id", "employee_number"], name="employee_by_number"),
        ]


class FileTeam(CompanyRow):
    """A team that an imported spreadsheet of people has named. A later spreadsheet moves people out of such teams.

    Spreadsheets do not change other teams, made by hand or by an identity provider.
    """

    team_id = models.UUIDField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "team_id"], name="file_team_once")]
