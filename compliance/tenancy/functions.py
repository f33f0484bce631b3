"""Functions of the database, declared by the room that calls them in its module `database_functions`.

`manage.py migrate` creates them, and the start-up check compares them word for word.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from compliance.tenancy import roles

SEARCH_PATH = "pg_catalog, public"


@dataclass(frozen=True, slots=True)
class DatabaseFunction:
    """One function. Texts are as PostgreSQL prints them: `arguments` and `returns` with full names of types.

    `as_owner` makes it SECURITY DEFINER: it sees every company's rows, so only its arguments and its answer limit what
    a caller learns. `callers` are the roles that may call it; nobody else may.
    """

    name: str
    arguments: str
    returns: str
    language: str
    volatility: str
    body: str
    as_owner: bool = False
    callers: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """How the function is named in statements."""
        return f"{self.name}({self.arguments})"

    @property
    def definition(self) -> str:
        """The function without its name, its body and its callers, as `system_catalogue` prints it."""
        security = "DEFINER" if self.as_owner else "INVOKER"
        return (
            f"RETURNS {self.returns} LANGUAGE {self.language} {self.volatility} SECURITY {security}"
            f" SET search_path={SEARCH_PATH}"
        )

    def statement(self) -> str:
        """The statement that creates or replaces it."""
        path = f"SET search_path = {SEARCH_PATH}"
        definition = self.definition.replace(f"SET search_path={SEARCH_PATH}", path)
        return f"CREATE OR REPLACE FUNCTION {self.signature} {definition} AS $function${self.body}$function$"


REFUSE_CHANGE = DatabaseFunction(
    name="refuse_change",
    arguments="",
    returns="trigger",
    language="plpgsql",
    volatility="VOLATILE",
    body="""
        BEGIN RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = '42501'; END """,
)

EVERYONE_BUT_THE_SIGNER = (roles.APP, roles.WEB, roles.WORKER)


def declared() -> Iterator[DatabaseFunction]:
    """Every function that the installed rooms declare."""
    yield REFUSE_CHANGE
    for room in apps.get_app_configs():
        if room.module is not None and module_has_submodule(room.module, "database_functions"):
            yield from import_module(f"{room.name}.database_functions").FUNCTIONS
