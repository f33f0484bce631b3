"""Start-up refuses a database role that could look past the tenant boundary, and tables without protection (design 11).

`tenancy.protection` says what migrations put on a table; a `pg_restore --clean` by hand quietly takes part of it away.
"""

from compliance.tenancy import sql
from compliance.tenancy.errors import UnprotectedTableError, UnsafeRoleError

_UNPROTECTED = """
SELECT c.relname, p.polname IS NOT NULL AND NOT c.relrowsecurity,
    t.tgname IS NOT NULL AND (t.tgenabled = 'D' OR has_table_privilege(r.rolname, c.oid, 'UPDATE')
        OR has_table_privilege(r.rolname, c.oid, 'DELETE') OR has_table_privilege(r.rolname, c.oid, 'TRUNCATE'))
FROM pg_class c JOIN pg_roles r ON r.rolname = coalesce(%s, current_user)
    LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polname = 'company'
    LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = c.relname || '_append_only'
WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
ORDER BY c.relname
"""


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


def refuse_unprotected_tables(role: str | None = None) -> None:
    """Raises UnprotectedTableError when `role`, the connected one without, may change what is append-only.

    So does a table whose row-level security or trigger is switched off. An empty database raises Django's
    ProgrammingError.
    """
    sql.fetch("SELECT 'tenancy_deployment'::regclass")
    found = sql.fetch(_UNPROTECTED, [role])
    faults = [f"{table} shows every company's rows" for table, visible, _ in found if visible]
    faults += [f"rows of {table} could be changed" for table, _, changeable in found if changeable]
    if faults:
        raise UnprotectedTableError(
            f"The database is not protected as its migrations left it: {'; '.join(faults)}."
            " Follow `Tables are not protected` in docs/operations.md."
        )
