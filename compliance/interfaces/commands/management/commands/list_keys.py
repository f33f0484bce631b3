"""Lists API keys that still grant access, by company: `list_keys [ORG] [--issuer-left] [--json]`."""

from compliance.access.models import ApiKey
from compliance.interfaces.commands.listing import ListIssued


class Command(ListIssued[ApiKey]):
    """Prints a line for each key: which, whose, until when, by whom."""

    help = "Lists the valid API keys. With --issuer-left only those whose issuer is no longer a member of staff."
    model = ApiKey
    noun = "keys"
    columns = ("key_id", "organization_id", "name", "ending", "scopes", "networks", "expires_at")

    def line(self, row: ApiKey) -> str:
        """Which key, whose, what it may read, until when."""
        ends = f"{row.expires_at:%Y-%m-%d}" if row.expires_at else "never"
        scopes = " ".join(row.scopes)
        return f"{row.key_id} {row.organization_id} {row.name or 'No name'} …{row.ending} {scopes}; ends {ends}"
