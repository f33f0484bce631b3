"""What can go wrong at the tenant boundary."""

from compliance.errors import ComplianceError


class TenancyError(ComplianceError):
    """Root of this room's errors."""


class NoSuchCompanyError(TenancyError):
    """The identifier names no organization."""


class OtherCompanyError(TenancyError):
    """Work for one company was begun inside the context of another."""


class CompanyExistsError(TenancyError):
    """An organization with this identifier stands already."""


class UnknownTimeZoneError(TenancyError):
    """The name is no IANA time zone."""


class UnsafeRoleError(TenancyError):
    """The database role could look past the tenant boundary (superuser, BYPASSRLS, or the tables' owner)."""


class UnprotectedTableError(TenancyError):
    """The system catalogue is not what the models' declarations ask for: a restore or a hand has changed it."""


class NotMigratedError(TenancyError):
    """The database lacks tables or migrations that this version needs."""


class NotEstablishedError(TenancyError):
    """What guards a table could not be made as declared: the owner may not, or the change has changed nothing."""


class NotDistributedError(TenancyError):
    """The database is no cluster although CLUSTER says so, or a table is not where its declaration puts it."""


class NoSuchNodeError(TenancyError):
    """The cluster has no node of that name."""


class MoveBusyError(TenancyError):
    """Companies are being moved by another command; one at a time does."""


class MoveFailedError(TenancyError):
    """A move was refused or cut off. The companies are where they were, whole; what it left is tidied."""


class WritesWaitedError(TenancyError):
    """A move was ended, because those who write had waited for it as long as they may."""


class BehindError(TenancyError):
    """A standby has not replayed what it would have to show; the primary answers in its place."""
