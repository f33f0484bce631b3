"""A real worker takes a task when it can begin it."""

import subprocess
import sys
import uuid

import pytest
import redis

from compliance.interfaces.operations import company_status
from compliance.interfaces.operations.models import CompanyStanding
from compliance.tenancy import context
from config.celery import app
from tests.companies import make_company
from tests.operations.service import ROOT, Process
from tests.registers.recording_elsewhere import until_somebody_waits


@pytest.fixture
def broker(process_environment, committed):
    """The address of a broker that only this test uses; tasks are sent to it."""
    address = f"{process_environment['REDIS_URL'].rpartition('/')[0]}/8"
    with redis.Redis.from_url(address) as client:
        client.flushdb()
        app.conf.broker_url = address
        app.amqp._producer_pool = app._pool = None
        yield client, process_environment | {"REDIS_URL": address}
        client.flushdb()


def test_what_waits_behind_a_long_task_stays_in_the_broker(broker, tmp_path):
    """A worker that had taken it would lose it after `visibility_timeout`: it would be handed out again."""
    client, environment = broker
    company = make_company().organization_id
    company_status.update(company, verified_at=None)
    app.send_task("compliance.operations.verify", [str(company)])
    app.send_task("compliance.operations.verify", [str(uuid.uuid4())])
    with context.company(company):
        CompanyStanding.objects.select_for_update().get(organization_id=company)  # the first task waits for this row
        worker = Process(
            "worker",
            [sys.executable, "-m", "celery", "--app", "config", "worker", "--queues", "long", "--concurrency", "1",
             "--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"],
            environment, tmp_path / "worker.log",
        )  # fmt: skip
        try:
            until_somebody_waits()
            assert (client.llen("long"), client.hlen("unacked")) == (1, 0), (tmp_path / "worker.log").read_text()
            asked = [sys.executable, "-m", "celery", "--app", "config", "inspect", "active", "--timeout", "30"]
            named = subprocess.run(asked, env=environment, cwd=ROOT, text=True, capture_output=True, check=False)
            assert "compliance.operations.verify" in named.stdout, named.stderr  # docs/operations.md, Releases
        finally:
            worker.kill()
