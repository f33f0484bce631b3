"""Lists sources that still have access, by company: `list_sources [ORG] [--issuer-left] [--json]`."""

from compliance.access.models import Source
from compliance.interfaces.commands.listing import ListIssued


class Command(ListIssued[Source]):
    """Prints a line for each source: which, what it may bring, until when, by whom."""

    help = "Lists the valid sources. With --issuer-left only those whose issuer is no longer a member of staff."
    model = Source
    noun = "sources"
    columns = (
        "source_id", "organization_id", "name", "ending", "kinds", "networks", "leaving", "expires_at", "former_until",
        "last_used_at",
    )  # fmt: skip

    def line(self, row: Source) -> str:
        """Which source, whose, what it may bring, until when."""
        return f"{row.source_id} {row.organization_id} {row} {' '.join(row.kinds)}; ends {row.expires_at:%Y-%m-%d}"
