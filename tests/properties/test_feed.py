"""A copy kept by the feed equals /v1: replayed from the start and in steps, at now and at ten moments of the past.

The companies are those of `test_pinned_pulls`, with a lesson shared alone, an optional course and an invitation that
expires; late facts, voidings, renames and erasures come in three rounds, each captured and read. What the clock decides
is computed by the SQL of docs/feed.md. PROPERTY_EXAMPLES sets the number of companies.
"""

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Window
from compliance.catalogue.fields import Tenant
from compliance.facts.recording import record
from compliance.history import actions
from tests.facts.files import EMPLOYEES, EVERYONE, NEVER, course, fact, identifier, ids, shared
from tests.interfaces.feed.reading import follow
from tests.interfaces.feed.warehouse import DuckDb, PostgreSql, Warehouse
from tests.properties import test_pinned_pulls
from tests.properties.test_pinned_pulls import COURSES, KINDS, PEOPLE, World, lines_of, story

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "3"))
MOMENTS = 10
PERIOD = timedelta(days=60)
READ_ANEW = {
    "person_name", "work_email", "account_email", "check_code", "course_title", "trainer_name", "reminders_sent",
    "company", "signer_company",
}  # fmt: skip
"""What /v1 reads anew for each answer. Names of people are compared in their own register."""
MORE = ("address", "share a lesson", "unshare a lesson", "rename", "erase", "void", "complete")


def more(kind: str, who: str, what: str, day: float, certificate: str, key: str) -> list[dict[str, Any]]:
    """Further events of these companies."""
    lesson = {"course_id": f"course {what}", "lesson_release_id": f"lesson of {what}"}
    match kind:
        case "address":
            fields = {"learner_profile_id": who, "work_email": f"{who}.{key}@work.example"}
            return [fact("person_changed", key, day, **fields)]
        case "share a lesson":
            return [
                fact("lesson_shared", key, day, share_id=f"lesson share {key}", **lesson, title="Lesson", version=1,
                     content_sha256="a" * 64, doors=EMPLOYEES, audience={"learner_profile_ids": ids(who)},
                     requirement="optional", deadline=NEVER)
            ]  # fmt: skip
        case "unshare a lesson":
            return [fact("share_ended", key, day, share_id="lesson share")]
    return lines_of(kind, who, what, day, certificate, key)


def beginning() -> list[dict[str, Any]]:
    """The beginning of every company."""
    return [
        *story(),
        *course("extra"),
        *course("unshared"),
        shared("extra", 2, requirement="optional", deadline={"basis": "days_after_added", "days": 20}),
        fact("lesson_shared", "alone", 3, share_id="lesson share", course_id="course safety",
             lesson_release_id="lesson of safety", title="Alone", version=2, content_sha256="b" * 64, doors=EMPLOYEES,
             audience=EVERYONE, requirement="required", deadline={"basis": "days_after_added", "days": 9}),
        fact("lesson_shared", "nobody's", 5, share_id="lesson share for nobody", course_id="course safety",
             lesson_release_id="lesson for nobody", title="Nobody's", version=1, content_sha256="c" * 64,
             doors=EMPLOYEES, audience={"learner_profile_ids": ids("partner")}, requirement="required", deadline=NEVER),
        fact("person_invited", "late", 5, invitation_id="invitation late", work_email="late@work.example",
             person_name="Late", expires_at=30.0),
    ]  # fmt: skip


HAPPENS = st.tuples(
    st.sampled_from((*KINDS, *MORE)),
    st.sampled_from(PEOPLE),
    st.sampled_from(COURSES),
    st.one_of(st.floats(11, 79, width=32), st.none()),
    st.integers(1, 290),
)
SEVERAL = st.lists(HAPPENS, min_size=1, max_size=5)


@pytest.fixture(scope="module")
def warehouses(django_db_setup: None) -> Iterator[dict[str, Warehouse]]:
    """One copy that is updated in steps, and one that is filled from the start."""
    from django.db import connections

    values = connections["owner"].settings_dict
    address = f"postgresql://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"
    with PostgreSql(address) as postgresql:
        yield {"steps": Warehouse(DuckDb(), "duckdb"), "nothing": Warehouse(postgresql, "postgresql")}


@pytest.mark.timeout(7200)
@pytest.mark.django_db
@override_settings(WRITER_LAG_SECONDS=24 * 3600)  # the companies have a clock of their own, half an hour late
@settings(
    max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), phases=set(Phase) - {Phase.shrink, Phase.explain}
)
@given(SEVERAL, SEVERAL, SEVERAL, st.integers(1, 200), st.integers(0, 1 << 32))
def test_the_feed_replayed_from_nothing_and_in_steps_is_every_register(
    warehouses, monkeypatch, first, second, third, limit, seed
):
    monkeypatch.setattr(test_pinned_pulls, "lines_of", more)
    chance = random.Random(seed)
    world = World()
    steps, nothing = warehouses["steps"], warehouses["nothing"]
    steps.empty()
    nothing.empty()
    record(world.organization_id, world.lines(beginning()), now=world.present)
    actions.capture_all(world.organization_id, world.present)
    world.find_a_certificate()
    seen, cursor = follow(world.call, limit=limit)
    steps.add(seen)
    same(world, steps, world.present)
    for several in (first, second, third):
        world.tell(several)
        world.present += timedelta(minutes=6)  # facts dated ahead have come due
        actions.sweep_company(world.organization_id, world.present)
        new, cursor = follow(world.call, cursor=cursor, limit=limit)
        steps.add(new)
        seen += new
        same(world, steps, world.present)
    whole, _ = follow(world.call)
    assert [_unnamed(each) for each in whole] == [_unnamed(each) for each in seen]
    nothing.add(whole)
    boundaries = sorted({datetime.fromisoformat(each["valid_from"]) for each in whole})
    exact = chance.sample(boundaries, min(MOMENTS // 2, len(boundaries)))
    moments = [
        *exact,
        *(world.start + timedelta(seconds=chance.uniform(0, 80 * 86400)) for _ in range(MOMENTS - len(exact) - 1)),
        exact[0] - timedelta(microseconds=1),
    ]
    for moment in (world.present, *moments):
        same(world, nothing, moment)
        same(world, steps, moment)
    erased = {identifier(each) for each in PEOPLE} & world.erased
    for row in steps.ask("SELECT learner_profile_id, person_name, work_email FROM people_history"):
        if row["learner_profile_id"] in erased and nothing_left(whole, row["learner_profile_id"]):
            assert row["person_name"] in (None, "Erased person")
            assert row["work_email"] is None


def nothing_left(whole: list[Any], learner: str) -> bool:
    """Whether the erasure was accepted: some were refused, or were of a person without a row among people."""
    own = [each for each in whole if each["fields"].get("learner_profile_id") == learner]
    return any(each["fields"].get("access_state") == "erased" for each in own)


def same(world: World, warehouse: Warehouse, moment: datetime) -> None:
    """The copy agrees with a fresh pull about every register."""
    since = moment - PERIOD
    kept = warehouse.at(moment, since)
    for register in REGISTERS.values():
        if register.window is Window.NOW and moment != world.present:
            continue  # course versions are asked about only at present
        target = f"/v1/{register.name}"
        if register.window is Window.PERIOD:
            target += f"?from={_at(since)}&to={_at(moment)}"
        elif register.window is not Window.NOW:
            target += f"?as_at={_at(moment)}"
        pulled = {row[register.identity]: row for row in world.call.pull(target)}
        ours = kept[register.name]
        assert sorted(ours) == sorted(pulled), (register.name, moment)
        for identity, row in pulled.items():
            ours[identity]["access_state"] = ours[identity].get("access_state_then")
            for lesson in row.get("lessons", ()):
                del lesson["title"]
            left_out = set(Tenant.model_fields) | (READ_ANEW - ({"person_name", "work_email"} & _personal(register)))
            wanted = {name: value for name, value in row.items() if name not in left_out}
            assert {name: ours[identity][name] for name in wanted} == wanted, (register.name, moment)


def _personal(register: Any) -> set[str]:
    return {"person_name", "work_email"} if register.name == "people" else set()


def _unnamed(change: dict[str, Any]) -> dict[str, Any]:
    """A version without the names of people, which are read anew."""
    fields = {name: value for name, value in change["fields"].items() if name not in ("person_name", "work_email")}
    return change | {"fields": fields}


def _at(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
