"""Random histories of a provisioned company: the actions of two sources and others, also given to the oracle."""

import uuid
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple

from compliance.access.sources import issue_source
from compliance.facts.people.queries import present_employment
from compliance.history.actions import sweep_company
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.interfaces.scim import entra, okta
from tests.interfaces.scim.conftest import USER, ScimClient
from tests.interfaces.scim.oracle import Person, Rows, Source, Team, World

NAMES = [f"{name}@example.org" for name in ("anna", "ben", "chloe", "dana", "emil")]
TEAMS = ["Crew", "Office", "Night shift"]
STRANGER = "00000000-0000-4000-8000-000000000009"


class Step(NamedTuple):
    """A moment after a request, and the expected register of people at it."""

    after: datetime
    what: str
    rows: Rows


class History:
    """One company with a random history."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.company = make_present_company()
        self.world = World()
        self.clients: dict[Source, ScimClient] = {}
        for name, suspends in (("Entra", False), ("Okta", self.chance.random() < 0.5)):
            token, _ = issue_source(
                organization_id=self.company.organization_id, name=name, kinds=("scim",), environment="test",
                at=self.company.now, actor="a test", leaving="suspended" if suspends else "left",
            )  # fmt: skip
            self.clients[Source(name, suspends)] = ScimClient(token)
        self.steps: list[Step] = []

    def tell(self, steps: int) -> None:
        """Makes this many changes, and checks what each client sees after each."""
        acts = [
            self.create_user, self.create_user, self.create_user, self.set_active, self.set_active, self.rename,
            self.remove_user, self.create_group, self.create_group, self.add, self.add, self.take_out, self.replace,
            self.rename_group, self.remove_group, self.joins_otherwise, self.leaves_otherwise,
        ]  # fmt: skip
        for _ in range(steps):
            source = self.chance.choice(list(self.clients))
            what = self.chance.choice(acts)(source)
            self.steps.append(Step(datetime.now(UTC), f"{source.name}: {what}", self.world.rows()))
            self.look(self.chance.choice(list(self.clients)))
            if self.chance.random() < 0.2:
                self.capture()

    def capture(self) -> None:
        sweep_company(self.company.organization_id, datetime.now(UTC))

    # What each client sees.

    def look(self, source: Source) -> None:
        users = self.clients[source].get("/Users?count=500&attributes=active,groups").json()
        seen = {
            each["id"]: (each["active"], {one["value"] for one in each.get("groups", [])})
            for each in users["Resources"]
        }
        assert seen == {
            each.identifier: (each.active, {team.identifier for team in self.world.teams if each in team.members})
            for each in self.world.users(source)
        }, self.story(source)
        groups = self.clients[source].get("/Groups?count=500").json()
        inside = {
            each["id"]: (each["displayName"], {one["value"] for one in each.get("members", [])})
            for each in groups["Resources"]
        }
        assert inside == {
            team.identifier: (team.name, {each.identifier for each in team.members if each.seen_by(source)})
            for team in self.world.groups(source)
        }, self.story(source)

    def story(self, source: Source) -> str:
        """All that happened so far, to explain why a test failed."""
        return "\n".join([*(step.what for step in self.steps), f"as {source.name} sees it"])

    # Changes: each returns a description in words.

    def create_user(self, source: Source) -> str:
        user_name = self.chance.choice(NAMES)
        status, known = self.world.create_user(source, user_name)
        body: dict[str, Any] = {"schemas": [USER], "userName": user_name, "active": True}
        body["displayName"] = f"Name {self.chance.randrange(1000)}"
        if self.chance.random() < 0.5:
            body["emails"] = [{"type": "work", "value": f"w{self.chance.randrange(9)}@example.org"}]
        answer = self.clients[source]("POST", "/Users", body)
        assert answer.status_code == status, answer.content
        if status == 201:
            made = answer.json()
            assert known is None or known.identifier == made["id"]
            if known is None:
                known = Person(made["id"], user_name, None)
                self.world.people.append(known)
            known.join()
            known.keep(source)
            known.name = body["displayName"]
            known.work_email = body["emails"][0]["value"] if "emails" in body else known.work_email
        return f"create {user_name}: {status}"

    def set_active(self, source: Source) -> str:
        person, status = self.somebody(source)
        if person is None:
            return "nobody there"
        active = self.chance.random() < 0.5
        request = self.chance.choice(
            [entra.enable_plain, okta.reactivate]
            if active
            else [entra.disable_plain, entra.disable, okta.deactivate, entra.disable_plain]
        )(person.identifier)
        answer = self.send(source, request)
        assert answer.status_code == status, answer.content
        if status == 200:
            assert answer.json()["active"] is active
            self.world.set_active(source, person, active)
            person.keep(source)
        return f"active {active} of {person.user_name}: {status}"

    def rename(self, source: Source) -> str:
        person, status = self.somebody(source)
        if person is None:
            return "nobody there"
        name = f"Name {self.chance.randrange(1000)}"
        operations: list[dict[str, Any]] = [{"op": "Replace", "path": "displayName", "value": name}]
        address = None
        if self.chance.random() < 0.5:
            address = f"x{self.chance.randrange(1000)}@example.org"
            operations.append({"op": "Add", "path": 'emails[type eq "work"].value', "value": address})
        answer = self.clients[source].patch(f"/Users/{person.identifier}", *operations)
        assert answer.status_code == status, answer.content
        if status == 200:
            person.name, person.work_email = name, address or person.work_email
            person.keep(source)
        return f"rename {person.user_name}: {status}"

    def remove_user(self, source: Source) -> str:
        person, status = self.somebody(source)
        if person is None:
            return "nobody there"
        answer = self.clients[source]("DELETE", f"/Users/{person.identifier}")
        assert answer.status_code == (204 if status == 200 else 404), answer.content
        if status == 200:
            self.world.remove_user(source, person)
        return f"remove {person.user_name}: {status}"

    def joins_otherwise(self, source: Source) -> str:
        """HR records somebody, or their return, without SCIM."""
        user_name = self.chance.choice(NAMES)
        known = self.world.named(user_name)
        if known is not None and known.present:
            return "is here"
        identifier = uuid.UUID(known.identifier) if known else uuid.uuid4()
        verbs.join_employee(
            organization_id=self.company.organization_id, at=datetime.now(UTC), now=datetime.now(UTC),
            account_email=user_name, person_name="By HR", learner_profile_id=identifier,
        )  # fmt: skip
        if known is None:
            known = Person(str(identifier), user_name, None)
            self.world.people.append(known)
        known.join()
        known.name = "By HR"
        return f"HR: {user_name} joins"

    def leaves_otherwise(self, source: Source) -> str:
        here = [each for each in self.world.people if each.present]
        if not here:
            return "nobody here"
        person, now = self.chance.choice(here), datetime.now(UTC)
        organization_id = self.company.organization_id
        with context.company(organization_id):
            person_id = present_employment(organization_id, uuid.UUID(person.identifier), now)
        verbs.end_employment(organization_id=organization_id, at=now, now=now, person_id=person_id)
        person.leave()
        return f"HR: {person.user_name} leaves"

    def create_group(self, source: Source) -> str:
        name, (named, status) = self.chance.choice(TEAMS), self.some(source)
        if self.world.group_named(source, name) is not None:
            status = 409
        body = {"schemas": [entra.GROUP], "displayName": name, "members": [{"value": each} for each in named]}
        answer = self.clients[source]("POST", "/Groups", body)
        assert answer.status_code == (201 if status == 204 else status), answer.content
        if status == 204:
            team = self.world.coming_back(source, name)
            assert team is None or team.identifier == answer.json()["id"]
            if team is None:
                team = Team(answer.json()["id"], name)
                self.world.teams.append(team)
                self.world.touch(team, None)
            team.members = self.those(named)
            team.removed.discard(source)
            self.world.touch(team, source)
        return f"group {name}: {status}"

    def add(self, source: Source) -> str:
        team, (named, status) = self.group(source), self.some(source)
        if team is None:
            return "no group"
        request = entra.add_members(team.identifier, *named)
        return self.moved(source, team, request, status, team.members | self.those(named))

    def take_out(self, source: Source) -> str:
        team, (named, _) = self.group(source), self.some(source)
        if team is None or not named:
            return "no group"
        request = entra.remove_members_plain(team.identifier, *named)
        if self.chance.random() < 0.5:
            request, named = entra.remove_member(team.identifier, named[0]), named[:1]
        return self.moved(source, team, request, 204, team.members - self.those(named))

    def replace(self, source: Source) -> str:
        team, (named, status) = self.group(source), self.some(source)
        if team is None:
            return "no group"
        if self.chance.random() < 0.5:
            request = okta.put_group(team.identifier, team.name, *named)
            return self.moved(source, team, request, 200 if status == 204 else status, self.those(named))
        request = okta.push_all_members(team.identifier, *named)
        return self.moved(source, team, request, status, self.those(named))

    def moved(self, source: Source, team: Team, request: entra.Request, status: int, members: set[Person]) -> str:
        if source in team.removed:
            status = 404
        answer = self.send(source, request)
        assert answer.status_code == status, answer.content
        if status in (200, 204):
            team.members = members
        return f"{request.method} members of {team.name}: {status}"

    def rename_group(self, source: Source) -> str:
        team, name = self.group(source), self.chance.choice(TEAMS)
        if team is None:
            return "no group"
        status = 409 if self.world.group_named(source, name, team) else 204
        status = 404 if source in team.removed else status
        request = self.chance.choice([entra.rename_group, okta.rename_group])(team.identifier, name)
        assert self.send(source, request).status_code == status
        if status == 204 and name != team.name:
            team.name = name
            self.world.touch(team, None)
        return f"group is {name} now: {status}"

    def remove_group(self, source: Source) -> str:
        team = self.group(source)
        if team is None:
            return "no group"
        status = 404 if source in team.removed else 204
        assert self.clients[source]("DELETE", f"/Groups/{team.identifier}").status_code == status
        if status == 204:
            team.members = set()
            team.removed.add(source)
            self.world.touch(team, source)
        return f"remove group {team.name}: {status}"

    # People and teams.

    def send(self, source: Source, request: entra.Request) -> Any:
        return self.clients[source](request.method, request.path, request.body)

    def somebody(self, source: Source) -> tuple[Person | None, int]:
        if not self.world.people:
            return None, 0
        person = self.chance.choice(self.world.people)
        return person, 200 if person.seen_by(source) else 404

    def some(self, source: Source) -> tuple[list[str], int]:
        """Some identifiers, and the status of a request that adds them."""
        people = self.chance.sample(self.world.people, self.chance.randint(0, min(3, len(self.world.people))))
        named = [each.identifier for each in people]
        status = 204 if all(each.seen_by(source) for each in people) else 400
        if self.chance.random() < 0.1:
            named, status = [*named, STRANGER], 400
        return named, status

    def those(self, named: list[str]) -> set[Person]:
        return {each for each in self.world.people if each.identifier in named}

    def group(self, source: Source) -> Team | None:
        return self.chance.choice(self.world.teams) if self.world.teams else None

    # The answers of /v1.

    def check(self) -> None:
        """Compares the register of people as at each step with the oracle."""
        self.capture()
        call = Caller(issue_everything(self.company.organization_id, datetime.now(UTC)))
        names = {each.identifier: (each.name, each.work_email) for each in self.world.people}
        since = written(self.company.start)
        for step in self.steps:
            rows = call.pull(f"/v1/people?from={since}&to={written(step.after)}")
            said = sorted(
                (row["learner_profile_id"], row["access_state"], tuple(sorted(row["team_ids"]))) for row in rows
            )
            assert said == step.rows, f"as at {step.what}"
            for row in rows:
                assert (row["person_name"], row["work_email"]) == names[row["learner_profile_id"]], step.what


def written(moment: datetime) -> str:
    """A moment as a parameter has it."""
    return moment.isoformat().replace("+00:00", "Z")
