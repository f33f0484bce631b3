"""What identity providers and HR systems say of people and teams, and no fact holds. Personal columns are erasable."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Lower

from compliance.tenancy.models import CompanyRow


class ProvisionedUser(CompanyRow):
    """A person as one source knows them by SCIM: its identifier of them, and the attributes that no fact holds."""

    source_id = models.UUIDField()
    learner_profile_id = models.UUIDField()
    external_id = models.TextField(null=True)
    user_name = models.TextField(null=True, help_text="The userName, where it is no e-mail address.")
    attributes = models.JSONField(null=True, help_text="See users.documents.")
    addresses = ArrayField(
        models.TextField(), null=True, help_text="The e-mail addresses among the attributes, in lower case."
    )
    version = models.PositiveIntegerField(default=1)
    changed_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, help_text="Since when the source has the person removed.")

    class Meta:
        # Of all companies together, for the function provisioned_named.
        indexes = [
            models.Index(Lower("user_name"), name="provisioned_user_by_name"),
            GinIndex(fields=["addresses"], name="provisioned_user_by_address"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["organization_id", "source_id", "learner_profile_id"], name="provisioned_user_once"
            ),
            models.UniqueConstraint(
                fields=["organization_id", "source_id", "external_id"], name="provisioned_user_by_external_id"
            ),
        ]


class ProvisionedGroup(CompanyRow):
    """A team as one source knows it by SCIM."""

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
    """The number by which a company's HR knows a person."""

    learner_profile_id = models.UUIDField()
    employee_number = models.TextField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "learner_profile_id"], name="employee_number_once"),
            models.UniqueConstraint(fields=["organization_id", "employee_number"], name="employee_by_number"),
        ]


class FileTeam(CompanyRow):
    """A team that an imported spreadsheet of people has named: whom a later one puts elsewhere goes out of it.

    Other teams, made by hand or by an identity provider, are left alone by spreadsheets.
    """

    team_id = models.UUIDField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "team_id"], name="file_team_once")]
