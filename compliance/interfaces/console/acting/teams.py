"""Acts on teams: create one, rename one, move people between them."""

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from compliance.facts.lines.kinds import TeamCreated, TeamJoined, TeamLeft, TeamRenamed
from compliance.facts.people import team_queries
from compliance.facts.people.memberships import ListedTeam
from compliance.facts.people.queries import displayed_people
from compliance.facts.recording import act
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, Recorded
from compliance.interfaces.console.acting.fields import PERSON, TEAM, ActForm, PeopleField, TeamField, form_of
from compliance.interfaces.console.acting.people import GROUP
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.provisioning import turns
from compliance.rules.vocabulary import ERASED_PERSON

NAMED_AT_MOST = 20
MOVED_AT_MOST = 2000


def _name_field(**values: Any) -> forms.CharField:
    return forms.CharField(label=gettext_lazy("Name of the team"), max_length=200, **values)


def _free(acting: Acting, name: str, but: uuid.UUID | None = None) -> None:
    """Raises CannotActError for a name that another team has, because HR's spreadsheet finds teams by name.

    Another transaction that gives the same name waits until this one ends, and is refused then.
    """
    turns.wait(acting.organization_id)
    found = team_queries.named(acting.organization_id, name)
    if found is not None and found.team_id != but:
        raise CannotActError(_("There is a team called “%(name)s” already.") % {"name": found.name})


def _team(acting: Acting, team_id: uuid.UUID) -> ListedTeam:
    """The team, of this company. Raises CannotActError."""
    found = team_queries.team(acting.organization_id, team_id)
    if found is None:
        raise CannotActError(_("This company has no such team."))
    return found


class CreateTeamForm(ActForm):
    """A new team, and the people in it from the beginning."""

    name = _name_field()
    people = PeopleField(required=False, label=gettext_lazy("People who join it now"))


class CreateTeam(Act):
    """Makes a team, with people in it if some are chosen."""

    name = "create-team"
    title = gettext_lazy("Create a team")
    explains = gettext_lazy("Courses and policies that are shared with a team reach whoever is in it.")
    permission = Permission.CHANGE_PEOPLE
    form = CreateTeamForm
    about = "teams"
    group = GROUP
    tells = (TeamCreated, TeamJoined)
    in_files = False  # its identifiers must be made here

    def preview(self, acting: Acting) -> Preview:
        """The name, and who joins."""
        found = super().preview(acting)
        found.subject = acting.data["name"]
        found.pairs = [(_("Team"), acting.data["name"]), *_named(acting, acting.data["people"])]
        found.notes.append(_("A team cannot be removed again, but it can be renamed."))
        return found

    def perform(self, acting: Acting) -> Done:
        """Records the team, then who joins it."""
        _free(acting, acting.data["name"])
        team_id = uuid.uuid4()
        act(TeamCreated, **acting.common, team_id=team_id, name=acting.data["name"])
        for learner in acting.data["people"]:
            act(TeamJoined, **acting.common, team_id=team_id, learner_profile_id=learner)
        return Done(_("The team is created."), "team", {"team_id": team_id})


class RenameTeamForm(ActForm):
    """The team, and its name from now on."""

    team_id = TeamField()
    name = _name_field(help_text=gettext_lazy("Records of the past show today's name, too."))


class RenameTeam(Act):
    """Gives a team another name."""

    name = "rename-team"
    title = gettext_lazy("Rename")
    explains = gettext_lazy("The team keeps its people, and all that is shared with it.")
    permission = Permission.CHANGE_PEOPLE
    form = RenameTeamForm
    about = "team"
    group = GROUP
    tells = (TeamRenamed,)

    def preview(self, acting: Acting) -> Preview:
        """The name before and after."""
        team = _team(acting, acting.data["team_id"])
        _free(acting, acting.data["name"], team.team_id)
        return Preview(pairs=[(_("Called now"), team.name), (_("Called then"), acting.data["name"])], subject=team.name)

    def perform(self, acting: Acting) -> Done:
        """Records the new name."""
        team = _team(acting, acting.data["team_id"])
        _free(acting, acting.data["name"], team.team_id)
        act(TeamRenamed, **acting.common, team_id=team.team_id, name=acting.data["name"])
        back = (self.name, {"team_id": team.team_id, "name": team.name})
        return Done(_("The team is renamed."), "team", {"team_id": team.team_id}, undo=back)


class MoveForm(ActForm):
    """The people, the team they leave, and the team they join."""

    people = PeopleField()
    out_of = TeamField(required=False, label=gettext_lazy("Out of the team"))
    into = TeamField(required=False, label=gettext_lazy("Into the team"))

    def clean(self) -> dict[str, Any]:
        """Requires at least one team, and refuses the same team twice."""
        data: dict[str, Any] = super().clean() or {}
        if not self.errors and not data.get("into") and not data.get("out_of"):
            self.add_error("into", _("Choose a team."))
        elif data.get("into") and data.get("into") == data.get("out_of"):
            self.add_error("into", _("Choose another team than the one that they leave."))
        return data


class MovePeople(Act):
    """Moves people into a team, out of one, or from one to another."""

    name = "move-people"
    title = gettext_lazy("Add or move people")
    explains = gettext_lazy(
        "People come into a team, go out of one, or both. What is shared with a team is owed by whoever is in it."
    )
    permission = Permission.CHANGE_PEOPLE
    form = MoveForm
    about = "team"
    group = GROUP
    takes = ("people",)
    tells = (TeamJoined, TeamLeft)

    def preview(self, acting: Acting) -> Preview:
        """Who joins and who leaves, and what changes in their records."""
        found = super().preview(acting)
        data = acting.data
        came, went = self._moves(acting)
        moving = list(dict.fromkeys((*came, *went)))
        found.pairs = [
            *([(_("Out of"), _team(acting, data["out_of"]).name)] if data["out_of"] else []),
            *([(_("Into"), _team(acting, data["into"]).name)] if data["into"] else []),
            *_named(acting, moving),
        ]
        unmoved = len(data["people"]) - len(moving)
        if unmoved:
            found.warnings.append(
                ngettext(
                    "%(number)d person is there already, and stays so.",
                    "%(number)d people are there already, and stay so.",
                    unmoved,
                )
                % {"number": unmoved}
            )
        return found

    def perform(self, acting: Acting) -> Done:
        """Records who leaves, then who joins."""
        data = acting.data
        came, went = self._moves(acting)
        if not came and not went:
            raise CannotActError(_("Nobody of them would move: they are where you want them."))
        for learner in went:
            act(TeamLeft, **acting.common, team_id=data["out_of"], learner_profile_id=learner)
        for learner in came:
            act(TeamJoined, **acting.common, team_id=data["into"], learner_profile_id=learner)
        moved = list(dict.fromkeys((*came, *went)))
        message = ngettext("%(number)d person is moved.", "%(number)d people are moved.", len(moved))
        team_id = data["into"] or data["out_of"]
        back = {"people": "\n".join(map(str, moved)), "out_of": data["into"] or "", "into": data["out_of"] or ""}
        undo = (self.name, back) if len(moved) <= NAMED_AT_MOST and _simple(came, went, data) else None
        return Done(message % {"number": len(moved)}, "team", {"team_id": team_id}, undo=undo)

    def _moves(self, acting: Acting) -> tuple[list[uuid.UUID], list[uuid.UUID]]:
        """Who would join the one team, and who would leave the other. Raises CannotActError."""
        people: list[uuid.UUID] = acting.data["people"]
        if len(people) > MOVED_AT_MOST:
            raise CannotActError(_("At most %(number)d people at a time.") % {"number": MOVED_AT_MOST})
        into, out_of = acting.data["into"], acting.data["out_of"]
        if "were" not in acting.found:
            acting.found["were"] = team_queries.in_teams(acting.organization_id, people, acting.at)
        were: dict[uuid.UUID, set[uuid.UUID]] = acting.found["were"]
        came = [each for each in people if into and into not in were.get(each, set())]
        went = [each for each in people if out_of and out_of in were.get(each, set())]
        return came, went


def _simple(came: list[uuid.UUID], went: list[uuid.UUID], data: dict[str, Any]) -> bool:
    """Whether the reverse act would put everybody back where they were."""
    return set(came) == set(went) or not data["into"] or not data["out_of"]


def _named(acting: Acting, people: list[uuid.UUID]) -> list[tuple[str, Any]]:
    """The line of a preview with the number of people and the first of them by name."""
    if not people:
        return []
    displayed = displayed_people(acting.organization_id, people[:NAMED_AT_MOST])
    names = [
        ERASED_PERSON if each.erased else each.person_name or each.work_email or each.account_email or _("No name")
        for each in displayed.values()
    ]
    more = len(people) - len(names)
    if more > 0:
        names.append(ngettext("and %(number)d more", "and %(number)d more", more) % {"number": more})
    return [
        (ngettext("%(number)d person", "%(number)d people", len(people)) % {"number": len(people)}, ", ".join(names))
    ]


def _change(*, change: str, **fields: Any) -> None:
    act(TeamJoined if change == "join" else TeamLeft, **fields)


def _changed_back(acting: Acting) -> tuple[str, dict[str, Any]]:
    """The undo of a change of team: the opposite change for the same person and team."""
    back = "leave" if acting.data["change"] == "join" else "join"
    kept = {name: acting.data[name] for name in ("learner_profile_id", "team_id")}
    return "team", kept | {"change": back}


_OF_PERSON = Recorded(
    name="team",
    tells=(TeamJoined, TeamLeft),
    title=gettext_lazy("Change teams"),
    explains=gettext_lazy("Shares with a team reach whoever is in it."),
    permission=Permission.CHANGE_PEOPLE,
    group=GROUP,
    about="person",
    page="person",
    form=form_of(
        learner_profile_id=PERSON,
        team_id=TEAM,
        change=forms.ChoiceField(
            choices=[("join", gettext_lazy("Joins the team")), ("leave", gettext_lazy("Leaves the team"))],
            label=gettext_lazy("Change"),
        ),
    ),
    action=_change,
    arguments=lambda acting: acting.data,
    done=gettext_lazy("The teams are changed."),
    undo=_changed_back,
)

ACTS: tuple[Act, ...] = (CreateTeam(), MovePeople(), RenameTeam(), _OF_PERSON)
