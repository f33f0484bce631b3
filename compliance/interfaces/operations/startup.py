"""The checks that web, worker and beat make before anything else.

The database role must not be able to look past the tenant boundary or to change what is append-only, and the log and
each history must be those that were last signed outside the database. Otherwise the process writes the reason to
standard error and ends with exit code 1.
"""

import sys
import time

from django.db import InterfaceError, OperationalError, ProgrammingError, connection

from compliance.errors import ComplianceError
from compliance.files.machines import refuse_other_folder
from compliance.interfaces.operations.errors import DatabaseAwayError
from compliance.log import refusals
from compliance.tenancy.checks import refuse_unprotected_tables, refuse_unsafe_role
from compliance.tenancy.errors import NotMigratedError

PATIENCE_SECONDS = 60.0
"""How long a starting process waits for the database, before its supervisor starts it again."""


def refuse_unsafe() -> None:
    """Raises the error of the first check that fails.

    UnsafeRoleError, UnprotectedTableError, LogError, WrongFolderError, NotMigratedError or DatabaseAwayError.
    """
    try:
        refuse_unsafe_role()
        refuse_unprotected_tables()
        refusals.refuse_other_log()
        refuse_other_folder()
    except ProgrammingError as error:
        raise NotMigratedError("The database lacks tables. Run `manage.py migrate` first.") from error
    except (OperationalError, InterfaceError) as error:
        connection.close()
        raise DatabaseAwayError("The database cannot be reached.") from error


def refuse_unsafe_patiently(patience: float = PATIENCE_SECONDS) -> None:
    """As `refuse_unsafe`, but waits for a database that is away."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return refuse_unsafe()
        except DatabaseAwayError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.5)


def start_or_exit() -> None:
    """Makes the checks, or ends a process that cannot work without a database. Leaves children no open connection."""
    try:
        refuse_unsafe_patiently()
    except ComplianceError as error:
        sys.stderr.write(f"Refused to start. {error}\n")
        raise SystemExit(1) from error
    finally:
        connection.close()
