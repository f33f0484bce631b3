"""The directory tables: the only ones that are read without a company context.

Each is needed before the company is known (a key), or to find which companies have work. Django's own tables
(staff accounts, sessions, migrations) hold nothing of a company. Every other table has row-level security.

Each table's place on a cluster is declared with it (`placement.py` defines the places). The head of a history and the
mark of its summary are written together with the company's rows, so they are placed with them.
"""

from collections.abc import Mapping
from types import MappingProxyType

from compliance.tenancy.placement import Placement

DIRECTORY_TABLES: Mapping[str, Placement] = MappingProxyType(
    {
        "tenancy_deployment": Placement.COORDINATOR,
        "tenancy_organization": Placement.COORDINATOR,
        "access_apikey": Placement.COORDINATOR_IN_STEP,
        "access_source": Placement.COORDINATOR_IN_STEP,
        "webhooks_webhook": Placement.COORDINATOR,
        "history_historyhead": Placement.WITH_COMPANY,
        "operations_companystanding": Placement.COORDINATOR,
        "log_leaf": Placement.COORDINATOR,
        "log_tile": Placement.COORDINATOR,
        "log_checkpoint": Placement.COORDINATOR,
        "log_witness": Placement.COORDINATOR,
        "files_filesfolder": Placement.COORDINATOR,
        "evidence_manifestrequest": Placement.COORDINATOR,
        "console_standingmark": Placement.WITH_COMPANY,
        "learning_linkrequest": Placement.COORDINATOR,
        # Of the staff, not of a company: who may sign in, who saw what, guesses at passwords.
        "console_staffaccess": Placement.COORDINATOR,
        "console_accesslog": Placement.COORDINATOR_IN_STEP,
        "console_accesschain": Placement.COORDINATOR_IN_STEP,
        "console_guess": Placement.COORDINATOR,
        "sign_in_staffsession": Placement.COORDINATOR,
        "sign_in_device": Placement.COORDINATOR,
        "sign_in_invitation": Placement.COORDINATOR,
        "sign_in_usedcode": Placement.COORDINATOR,
        "sign_in_letter": Placement.COORDINATOR,
        "sign_in_companyaccount": Placement.COORDINATOR,
    }
)

TABLE_WITH_COMPANY = next(name for name, where in DIRECTORY_TABLES.items() if where is Placement.WITH_COMPANY)
"""A table whose rows are with their company: all such tables have the same shards, at the same places."""

JOINED_NODE = f"""
JOIN pg_dist_placement p
    ON p.shardid = get_shard_id_for_distribution_column('{TABLE_WITH_COMPANY}'::regclass, o.organization_id)
JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
"""
"""SQL that joins the node `n` on which the company `o`.organization_id is, from the coordinator's catalogue."""
