"""Start-up refuses a database role that could look past the tenant boundary (design 11)."""

from compliance.tenancy import sql
from compliance.tenancy.errors import UnsafeRoleError


def refuse_unsafe_role() -> None:
    """Raises UnsafeRoleError when the connected role is a superuser, may bypass row-level security, or owns tables."""
    ((superuser, bypass, owns),) = sql.fetch(
        "SELECT rolsuper, rolbypassrls, EXISTS (SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid"
        " AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace)"
        " FROM pg_roles WHERE rolname = current_user"
    )
    found = [word for word, holds in (("a superuser", superuser), ("BYPASSRLS", bypass), ("the owner", owns)) if holds]
    if found:
        raise UnsafeRoleError(
            f"The application's database role is {' and '.join(found)}: it would see every company's rows."
            " Point DATABASE_URL at the role `app` (docs/operations.md)."
        )
