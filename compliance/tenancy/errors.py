"""What can go wrong at the tenant boundary."""

from compliance.errors import ComplianceError


class TenancyError(ComplianceError):
    """Root of this room's errors."""


class NoSuchCompanyError(TenancyError):
    """The identifier names no organization."""


class OtherCompanyError(TenancyError):
    """Work for one company was begun inside the context of another."""


class CompanyExistsError(TenancyError):
    """An organization with this identifier exists already."""


class BadCompanyNameError(TenancyError):
    """A company's name is empty, too long or not in one line."""


class UnknownTimeZoneError(TenancyError):
    """The name is no IANA time zone."""


class UnsafeRoleError(TenancyError):
    """The database role could look past the tenant boundary (superuser, BYPASSRLS, or the tables' owner)."""


class UnprotectedTableError(TenancyError):
    """The system catalogue differs from the models' declarations: a restore or a person changed it."""


class NotMigratedError(TenancyError):
    """The database lacks tables or migrations that this version needs."""


class NotEstablishedError(TenancyError):
    """A table's protection could not be created as declared: the owner may not, or the statement had no effect."""


class NotDistributedError(TenancyError):
    """The database is no cluster although CLUSTER is set, or a table is not where its declaration places it."""


class NoSuchNodeError(TenancyError):
    """The cluster has no node of that name."""


class MoveBusyError(TenancyError):
    """Another command is moving companies; only one at a time may."""


class MoveFailedError(TenancyError):
    """A move was refused or interrupted. The companies are whole where they were, and its remains are tidied."""


class WritesWaitedError(TenancyError):
    """A move was ended because writes had waited for it as long as they may."""


class BehindError(TenancyError):
    """A standby has not yet replayed what the answer must contain; the primary answers in its place."""
