"""The rows that are stored of Users beside the facts. All functions run within the client's turn."""

import json
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.people.employees import ADDRESSED, KNOWN, LAST_RECORDED, NOT_ERASED, PRESENT
from compliance.provisioning.clients import Client
from compliance.provisioning.models import ProvisionedUser
from compliance.provisioning.users.documents import addresses
from compliance.tenancy import sql


class Namesake(NamedTuple):
    """A known person who already has a userName or an externalId, whether the client sees them or not."""

    learner_profile_id: uuid.UUID
    visible: bool
    same_external_id: bool
    same_user_name: bool


_NAMESAKES = f"""
SELECT f.learner_profile_id, {PRESENT} OR (u.id IS NOT NULL AND u.deleted_at IS NULL),
  coalesce(u.external_id = %(external_id)s::text, false),
  lower(coalesce(u.user_name, f.account_email, f.work_email)) = lower(%(user_name)s::text)
FROM {KNOWN} LEFT JOIN provisioning_provisioneduser u ON u.organization_id = f.organization_id
  AND u.learner_profile_id = f.learner_profile_id AND u.source_id = (SELECT %(source)s::uuid)
WHERE {NOT_ERASED} AND f.learner_profile_id = ANY(ARRAY(
  {ADDRESSED.format(address="%(user_name)s")}
  UNION SELECT n.learner_profile_id FROM provisioning_provisioneduser n
    WHERE n.organization_id = (SELECT %(organization)s::uuid) AND n.source_id = (SELECT %(source)s::uuid)
    AND n.user_name_lower = lower(%(user_name)s::text)
  UNION SELECT n.learner_profile_id FROM provisioning_provisioneduser n
    WHERE n.organization_id = (SELECT %(organization)s::uuid) AND n.source_id = (SELECT %(source)s::uuid)
    AND n.external_id = %(external_id)s::text))
ORDER BY u.deleted_at DESC NULLS LAST, {LAST_RECORDED} DESC NULLS LAST, f.id
"""  # noqa: S608 - constants of our own


_ONE_ROW = "ON CONFLICT (organization_id, source_id, learner_profile_id) DO UPDATE SET"
_NEXT_VERSION = "version = provisioning_provisioneduser.version + 1"
_KEEP = f"""
INSERT INTO provisioning_provisioneduser
  (organization_id, source_id, learner_profile_id, external_id, user_name, attributes, version, changed_at)
VALUES (%(organization)s, %(source)s, %(learner)s, %(external_id)s::text, %(user_name)s::text, %(attributes)s::jsonb,
  1, %(at)s)
{_ONE_ROW} external_id = excluded.external_id, user_name = excluded.user_name, attributes = excluded.attributes,
  changed_at = excluded.changed_at, deleted_at = NULL, {_NEXT_VERSION}
"""  # noqa: S608 - constants of our own
_MARK_REMOVED = f"""
INSERT INTO provisioning_provisioneduser
  (organization_id, source_id, learner_profile_id, version, changed_at, deleted_at)
VALUES (%(organization)s, %(source)s, %(learner)s, 1, %(at)s, %(at)s)
{_ONE_ROW} attributes = NULL, changed_at = excluded.changed_at, deleted_at = excluded.deleted_at, {_NEXT_VERSION}
"""  # noqa: S608 - constants of our own

# The database puts the addresses in lower case, as it does those that are asked for: Python does so otherwise.
_DROP_ADDRESSES = """
DELETE FROM provisioning_provisionedaddress WHERE organization_id = (SELECT %(organization)s::uuid)
AND learner_profile_id = %(learner)s AND source_id = %(source)s
AND address <> ALL(ARRAY(SELECT lower(a) FROM unnest(%(addresses)s::text[]) AS a))
"""
_ADD_ADDRESSES = """
INSERT INTO provisioning_provisionedaddress (organization_id, learner_profile_id, source_id, address)
SELECT %(organization)s::uuid, %(learner)s::uuid, %(source)s::uuid, lower(a) FROM unnest(%(addresses)s::text[]) AS a
ON CONFLICT DO NOTHING
"""


def namesakes(client: Client, user_name: str | None, external_id: str | None) -> Sequence[Namesake]:
    """Everybody with this userName or externalId: first those whom the client removed last, then by newest fact."""
    parameters = client.asked | {"user_name": user_name, "external_id": external_id}
    found = [Namesake(*row) for row in sql.fetch(_NAMESAKES, parameters)]
    return [each for each in found if each.same_external_id or each.same_user_name]


def keep(
    client: Client,
    learner_profile_id: uuid.UUID,
    *,
    external_id: str | None,
    user_name: str | None,
    document: dict[str, Any],
    at: datetime,
) -> None:
    """Stores what a client states of a User now; `user_name` is null where it equals the account's address."""
    parameters = client.asked | {
        "learner": learner_profile_id,
        "external_id": external_id,
        "user_name": user_name,
        "attributes": json.dumps(document),
        "at": at,
    }
    sql.execute(_KEEP, parameters)
    _keep_addresses(client, learner_profile_id, addresses(document))


def release_external_id(client: Client, external_id: str, holder: uuid.UUID) -> None:
    """Takes an externalId from a User whom the client has removed, so that another User may have it."""
    ProvisionedUser.objects.filter(
        organization_id=client.organization_id, source_id=client.source.source_id, external_id=external_id
    ).exclude(learner_profile_id=holder).exclude(deleted_at=None).update(external_id=None)


def mark_removed(client: Client, learner_profile_id: uuid.UUID, at: datetime) -> None:
    """Records that the client has removed a User. Of what it has stated, only what can bring the User back is kept."""
    sql.execute(_MARK_REMOVED, client.asked | {"learner": learner_profile_id, "at": at})
    _keep_addresses(client, learner_profile_id, [])


def _keep_addresses(client: Client, learner_profile_id: uuid.UUID, stated: Collection[str]) -> None:
    """Replaces the addresses that the client gave for the person by these."""
    parameters = client.asked | {"learner": learner_profile_id, "addresses": list(stated)}
    sql.execute(_DROP_ADDRESSES, parameters)
    if stated:
        sql.execute(_ADD_ADDRESSES, parameters)
