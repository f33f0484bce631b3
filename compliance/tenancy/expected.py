"""What PostgreSQL's system catalogue must hold, derived from the models' declarations and nothing else.

A model with a column `organization_id` is a company's, under row-level security, unless `directory.py` lists its table;
`append_only = True` on a model makes its rows final. What a role may do is `roles.granted`; functions are declared as
in `functions.py`. Each entry describes one aspect of one object, in the words of `system_catalogue.read`.
"""

from typing import NamedTuple

from django.apps import apps
from django.conf import settings

from compliance.tenancy import cluster, functions, roles
from compliance.tenancy.directory import DIRECTORY_TABLES
from compliance.tenancy.placement import Placement

SystemCatalogue = dict[tuple[str, str], str]
"""The value of each aspect (`policy company`) of each object (`table tenancy_organization`), by both."""

PLACEMENT = "placement"
"""The aspect that states where a table is: only on a cluster, and not for tables that only the coordinator has."""
OFF, ON, FORCED = "off", "on", "forced"
_COMPANY = cluster.of_company("(NULLIF(current_setting('app.organization'::text, true), ''::text))::uuid")
_OF_COMPANY = f"(organization_id = {_COMPANY})"
COMPANY_POLICY = f"PERMISSIVE FOR ALL TO PUBLIC USING ({_OF_COMPANY}) WITH CHECK ({_OF_COMPANY})"


class Table(NamedTuple):
    """One table, as its model declares it."""

    name: str
    of_companies: bool
    append_only: bool
    placement: Placement

    @property
    def forced(self) -> bool:
        """Whether row-level security binds the owner too, who may then only read, for backups.

        Migrations change rows of other tables only, so the owner needs no more on append-only ones.
        """
        return self.of_companies and self.append_only


def tables() -> list[Table]:
    """Every table of the installed models, and Django's own record of migrations."""
    found = {"django_migrations": Table("django_migrations", False, False, Placement.COORDINATOR)}
    for model in apps.get_models(include_auto_created=True):
        name = model._meta.db_table
        if model._meta.managed and not model._meta.proxy:
            columns = {field.column for field in model._meta.local_concrete_fields}
            of_companies = "organization_id" in columns and name not in DIRECTORY_TABLES
            placement = DIRECTORY_TABLES.get(name, Placement.WITH_COMPANY if of_companies else Placement.COORDINATOR)
            found[name] = Table(name, of_companies, bool(getattr(model, "append_only", False)), placement)
    return [found[name] for name in sorted(found)]


def triggers(table: Table) -> dict[str, str]:
    """The triggers of a table by their names, as PostgreSQL prints them."""
    if not table.append_only:
        return {}
    name = table.name
    return {
        f"{name}_append_only": f"CREATE TRIGGER {name}_append_only BEFORE DELETE OR UPDATE ON public.{name}"
        " FOR EACH ROW EXECUTE FUNCTION refuse_change()",
        f"{name}_no_truncate": f"CREATE TRIGGER {name}_no_truncate BEFORE TRUNCATE ON public.{name}"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
    }


def policies(table: Table, owner: str) -> dict[str, str]:
    """The policies of a table by their names, as `system_catalogue.read` prints them."""
    found = {}
    if table.of_companies:
        found["company"] = COMPANY_POLICY
    if table.forced:
        found["backup"] = f"PERMISSIVE FOR SELECT TO {owner} USING (true)"
    return found


def system_catalogue(owner: str, existing_roles: frozenset[str]) -> SystemCatalogue:
    """The expected system catalogue, for a schema of `owner` and those of the runtime roles that exist."""
    found: SystemCatalogue = {}
    for table in tables():
        subject = f"table {table.name}"
        found[subject, "kind"] = "table"
        found[subject, "owner"] = owner
        if settings.CLUSTER and table.placement is not Placement.COORDINATOR:
            found[subject, PLACEMENT] = table.placement
        found[subject, "row-level security"] = FORCED if table.forced else ON if table.of_companies else OFF
        found |= {(subject, f"policy {name}"): text for name, text in policies(table, owner).items()}
        found |= {(subject, f"trigger {name}"): text for name, text in triggers(table).items()}
        for role in existing_roles:
            granted = roles.granted(role, table.name, append_only=table.append_only)
            if granted.table:
                found[subject, f"grants to {role}"] = ", ".join(sorted(granted.table))
            found |= {(subject, f"grants to {role} on column {each}"): "UPDATE" for each in granted.updates}
            found |= {(subject, f"grants to {role} on column {each}"): "SELECT" for each in granted.reads}
    for function in functions.declared():
        subject = f"function {function.signature}"
        found[subject, "owner"] = owner
        found[subject, "definition"] = function.definition
        found[subject, "body"] = function.body
        found |= {(subject, f"grants to {role}"): "EXECUTE" for role in function.callers if role in existing_roles}
    return found


def on_servers(owner: str, existing_roles: frozenset[str]) -> SystemCatalogue:
    """What a server of a cluster must hold of each object that it has: a shard has the aspects of its table.

    Placements are left out: only the coordinator's table has one.
    """
    wanted = system_catalogue(owner, existing_roles)
    return {(subject, aspect): value for (subject, aspect), value in wanted.items() if aspect != PLACEMENT}


def may_lack(value: str) -> bool:
    """Whether shards may lack this value: a trigger against TRUNCATE, which the coordinator needs and where it fires.

    Citus creates none for new shards, but one for each shard that it has copied to another node.
    """
    return "FOR EACH STATEMENT" in value and value.startswith("CREATE TRIGGER")
