"""The verifier accepts a pack of any company, for any period, at any capture, and it equals /v1 field by field.

The companies are those of `test_pinned_pulls`, recorded in several captures and partly late. PROPERTY_EXAMPLES sets the
number of companies.
"""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compliance.facts.recording import record
from compliance.history import actions
from compliance.interfaces.console.evidence import building
from compliance.interfaces.console.evidence.subject import subject
from compliance.tenancy import context
from tests.interfaces.console.evidence.conftest import KEY
from tests.interfaces.console.evidence.packs import ORIGIN, verified
from tests.properties.test_pinned_pulls import SEVERAL, World, story

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "4"))


@pytest.mark.timeout(3600)
@pytest.mark.django_db
@override_settings(WRITER_LAG_SECONDS=24 * 3600, LOG_ORIGIN=ORIGIN, CHECKPOINT_KEYS=[KEY])
@settings(
    max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), phases=set(Phase) - {Phase.shrink, Phase.explain}
)
@given(SEVERAL, SEVERAL, SEVERAL, st.integers(0, 79), st.integers(0, 40))
def test_a_pack_of_any_company_and_period_holds(tmp_path, first, second, third, ends, lasts):
    world = World()
    organization_id = world.organization_id
    with override_settings(LOG_FOLDER=str(tmp_path / "log")):
        record(organization_id, world.lines(story()), now=world.present)
        actions.capture_all(organization_id, world.present)
        world.find_a_certificate()
        for several in (first, second, third):
            world.present += timedelta(minutes=1)
            world.tell(several)
            actions.sweep_company(organization_id, world.present + timedelta(seconds=5))
        # An erasure recorded ahead of time clears the name at once; until its moment no pack can prove the name.
        world.present += timedelta(minutes=6)
        actions.sweep_company(organization_id, world.present)
        last = (world.present - timedelta(days=ends)).date()
        about = subject(organization_id, last - timedelta(days=lasts), last, now=world.present)
        output = Path(tmp_path, f"{organization_id}.zip")
        building.build(about, output)
        assert [str(fault) for fault in verified(output.read_bytes()).faults] == []
        with context.company(organization_id):
            assert about.pin.sequence > 0
