"""The pages of this part: the list of acts, a page for each act, and the page of long work."""

from collections.abc import Callable

from django.http import HttpResponseBase
from django.utils.translation import gettext_lazy

from compliance.interfaces.console.acting import flow, four_eyes, picking
from compliance.interfaces.console.acting.act import Act
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission


def _page(act: Act, name: str, path: str, view: Callable[..., HttpResponseBase]) -> ConsolePage:
    """A page that belongs to one act: everybody who may do the act may open it."""
    return ConsolePage(
        f"{name}-{act.name}",
        path,
        view,
        act.permission,
        act.title,
        methods=("GET", "POST"),
        section=act.section if name == "act" else None,
        recent=act.recent,
        arguments=(("act", act.name),),
    )


PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("acts", "act/", flow.acts, Permission.SEE, gettext_lazy("What you may do"), section=Section.TODAY),
    *(_page(act, "act", f"act/{act.name}/", flow.act) for act in ACTS.values()),
    ConsolePage("pick", "pick/<slug:kind>/", picking.pick, Permission.SEE, gettext_lazy("Picking"), methods=("POST",)),
    ConsolePage(
        "inbox",
        "inbox/",
        four_eyes.inbox,
        Permission.SEE,
        gettext_lazy("Waits for a second person"),
        section=Section.TODAY,
    ),
    *(
        _page(act, "confirm", f"inbox/{act.name}/<uuid:job_id>/", four_eyes.confirm)
        for act in ACTS.values()
        if act.second
    ),
    ConsolePage("job", "work/<uuid:job_id>/", flow.job, Permission.SEE, gettext_lazy("Work")),
)
