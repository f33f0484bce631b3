"""Statements about a company are answered by its node alone, from the company's own shards.

Counted by what the coordinator sends: it names the node of each statement, and the shards in it.
"""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from compliance.history import actions
from compliance.history.verify import Verified, verify_history
from tests.companies import make_present_company, noon
from tests.interfaces.api.conftest import Caller, issue_everything

pytestmark = [pytest.mark.cluster, pytest.mark.django_db]

_SENT = re.compile(r"on server \w+@([\w.]+:\d+)")
_SHARD = re.compile(r"\b[a-z]+_[a-z]+_(1\d{5,})\b")
PERIODS = {"training-records/period", "people"}
_SHARDS = """
SELECT s.shardid, s.shardid = get_shard_id_for_distribution_column(s.logicalrelid, %s::uuid)
FROM pg_dist_shard s JOIN pg_dist_partition p ON p.logicalrelid = s.logicalrelid AND p.partmethod = 'h'
"""
"""Every part of a table that is with its company, and whether it is the company's. Keys are at the coordinator."""


class Sent:
    """The statements that the coordinator sent: to which server, and the shards that each names."""

    def __init__(self) -> None:
        self.statements: list[tuple[str, set[int]]] = []

    def hear(self, notice: Any) -> None:
        shards = set(map(int, _SHARD.findall(notice.message_primary or "")))
        if shards:  # and not BEGIN or SAVEPOINT, which every node of a transaction gets
            self.statements.append((_SENT.findall(notice.message_detail or "")[0], shards))


@contextlib.contextmanager
def sent() -> Iterator[Sent]:
    """Collects what the coordinator sends within the block."""
    found = Sent()
    connection.ensure_connection()
    driver = connection.connection
    driver.add_notice_handler(found.hear)
    with connection.cursor() as cursor:
        cursor.execute("SET citus.log_remote_commands = on")
        cursor.execute("SET client_min_messages = notice")
    try:
        yield found
    finally:
        driver.remove_notice_handler(found.hear)
        with connection.cursor() as cursor:
            cursor.execute("RESET citus.log_remote_commands")
            cursor.execute("RESET client_min_messages")


@pytest.fixture
def company():
    """A company with facts that are not captured yet, and another one."""
    made = make_present_company()
    for each in (make_present_company(), made):
        each.share(each.course(), days=30)
        for number in range(30):
            each.join(f"Person {number}")
    return made


def _is_one_shard(found: Sent, organization_id: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SHARDS, [organization_id])
        with_companies = dict(cursor.fetchall())
    asked = [(server, shards) for server, shards in found.statements if shards & with_companies.keys()]
    assert asked
    assert all(with_companies[shard] for _, shards in asked for shard in shards)
    assert len({server for server, _ in asked}) == 1


def test_capture_sweep_and_verification_touch_the_company_s_shards_alone(company):
    with sent() as captured:
        assert actions.capture_all(company.organization_id, company.now)
    _is_one_shard(captured, company.organization_id)
    with sent() as swept:
        actions.sweep_company(company.organization_id, company.now)
    _is_one_shard(swept, company.organization_id)
    with sent() as verified:
        assert isinstance(verify_history(company.organization_id), Verified)
    _is_one_shard(verified, company.organization_id)


@pytest.mark.parametrize("register", ["training-records", "training-records/period", "certificates", "courses",
                                      "policies", "policy-records", "acknowledgements", "people"])  # fmt: skip
def test_a_page_touches_the_company_s_shards_alone(company, register):
    actions.capture_all(company.organization_id, company.now)
    call = Caller(issue_everything(company.organization_id, company.now))
    period = f"?from={noon(200):%Y-%m-%d}&to={noon(1):%Y-%m-%d}"
    with sent() as asked:
        answer = call(f"/v1/{register}{period if register in PERIODS else ''}")
    assert answer.status_code == 200, answer.content
    _is_one_shard(asked, company.organization_id)
