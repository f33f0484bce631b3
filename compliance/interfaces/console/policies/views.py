"""The list of policies, and a policy's page: who has signed it and who has not, as at the end of a day."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from compliance.facts.happenings import happenings
from compliance.facts.policies import queries
from compliance.facts.policies.queries import Version
from compliance.interfaces.console import keyset
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.happened import in_words
from compliance.interfaces.console.moments import Chosen, chosen
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.policies import people, signatures
from compliance.interfaces.console.selection import reading as selection
from compliance.interfaces.console.selection.bar import bar
from compliance.interfaces.console.visit import Visit

HAPPENINGS_LISTED = 30
_NOBODY = signatures.Numbers()


def policies(visit: Visit) -> HttpResponse:
    """Every policy with the version in force, and how many people have signed it."""
    organization_id = visit.organization.organization_id
    position = keyset.after(visit.request, 2)
    after = (str(position[0]), uuid.UUID(position[1])) if position else None
    found = queries.newest_versions(organization_id, visit.now, after, keyset.PAGE + 1)
    listed = [version for sorted_by, version in found[: keyset.PAGE]]
    last = (found[keyset.PAGE - 1][0], listed[-1].course_id) if len(found) > keyset.PAGE else None
    numbers = signatures.of_all(chosen(visit)) if listed else {}
    values = {
        "policies": [(each, numbers.get(each.course_id, _NOBODY)) for each in listed],
        "as_at": next((each.as_at for each in numbers.values()), None),
        "following": keyset.following(visit.request, last),
        "register": signatures.RECORDS.register,
        "may_publish": _may(visit, "publish-policy"),
    }
    return visit.render("console/policies/policies.html", values)


def policy(visit: Visit, course_id: uuid.UUID) -> HttpResponse:
    """One policy on the chosen day: the numbers, who has and has not signed, its versions and its history."""
    organization_id = visit.organization.organization_id
    versions = queries.versions_of(organization_id, course_id)
    if not versions:
        raise NothingThereError(_("This company has no such policy."))
    when = chosen(visit, course=course_id)
    visit.crumb(_("Policies"), "policies")
    asked = visit.request.GET.get("show", "")
    words = (asked,) if asked in signatures.RECORDS.filters else ("unsigned", "signed")
    numbers = signatures.of_one(when, course_id)
    lists = [_list(visit, when, word, numbers, only=len(words) == 1) for word in words]
    in_force = _in_force(versions, when)
    values: dict[str, Any] = {
        "title": (in_force or versions[-1]).policy_title,
        "course_id": course_id,
        "register": signatures.RECORDS.register,
        "when": when,
        "version": in_force,
        "first": versions[-1],
        "versions": versions,
        "numbers": numbers,
        "lists": lists,
        "lists_of": {word: _address(visit, when, word) for word in signatures.RECORDS.filters}
        | {"both": _address(visit, when, "")},
        "show": asked if len(words) == 1 else "",
        "facts": in_words(happenings(organization_id, None, course_id)[-HAPPENINGS_LISTED:][::-1], visit.zone),
        "acts": {} if when.travels else _acts(visit, course_id),
        "exports": _exports(visit, when, course_id, asked),
    }
    return visit.render("console/policies/policy.html", values)


def _in_force(versions: list[Version], when: Chosen) -> Version | None:
    """The newest version at the chosen moment; None before the first."""
    return next((each for each in versions if each.published_at <= when.question.moment), None)


def _list(visit: Visit, when: Chosen, word: str, numbers: signatures.Numbers | None, *, only: bool) -> dict[str, Any]:
    """One of the page's lists: its first rows, or, if it is the `only` list, the page that the address asks for.

    Acts are offered only on those who have not signed, and only for the present.
    """
    rows, last = people.listed(when, word, keyset.after(visit.request, 2) if only else None)
    register = signatures.RECORDS.register
    acts = None
    if rows and word != "signed" and not when.travels:
        total = None if numbers is None else getattr(numbers, word)
        acts = bar(
            visit, register.name, selection.of_register(register.page, word, when.question._replace(start=None)), total
        )
    visit.saw(row["learner_profile_id"] for row in rows)
    return {
        "word": word,
        "rows": rows,
        "bar": acts,
        "more": last is not None and not only,
        "following": keyset.following(visit.request, last) if only else "",
        "all": _address(visit, when, word),
    }


def _address(visit: Visit, when: Chosen, show: str) -> str:
    """The address of this page at the same moment with only one of its lists."""
    asked = {"as_at": when.as_at, "time": when.at_time, "known": when.known, "show": show}
    return visit.link("policy-page", asked, course_id=when.question.course)


def _acts(visit: Visit, course_id: uuid.UUID) -> dict[str, str]:
    """The acts that the page offers, by name, with the policy filled in."""
    offered = ("remind-course", "share-policy", "publish-policy")
    return {
        name.replace("-", "_"): visit.link(f"act-{name}", {"course_id": course_id})
        for name in offered
        if _may(visit, name)
    }


def _exports(visit: Visit, when: Chosen, course_id: uuid.UUID, show: str) -> list[tuple[str, str]]:
    """The formats in which the page's list can be downloaded, with their addresses; empty without that permission."""
    if not visit.staff.may(Permission.EXPORT):
        return []
    asked = {"course": course_id, "as_at": when.as_at, "time": when.at_time, "known": when.known, "show": show}
    what = signatures.RECORDS.register.page
    return [(name.upper(), visit.link("export", asked, what=what, written_as=name)) for name in ("csv", "xlsx")]


def _may(visit: Visit, act: str) -> bool:
    return visit.staff.may(ACTS[act].permission)
