"""The pages of this part: one for what one may do, one an act, one for how far long work is."""

from compliance.interfaces.console.acting import flow
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.who_may import Permission

PAGES: tuple[Page, ...] = (
    Page("acts", "act/", flow.acts, Permission.SEE, "What you may do", section=Section.ACT),
    *(
        Page(
            f"act-{act.name}",
            f"act/{act.name}/",
            flow.act,
            act.permission,
            act.title,
            methods=("GET", "POST"),
            arguments=(("act", act.name),),
        )
        for act in ACTS.values()
    ),
    Page("job", "work/<uuid:job_id>/", flow.job, Permission.SEE, "Work"),
)
