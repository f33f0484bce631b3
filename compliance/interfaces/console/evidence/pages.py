"""The pages of this part."""

from compliance.interfaces.console.evidence import views
from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.who_may import Permission

_EXPORT = Permission.EXPORT

PAGES: tuple[Page, ...] = (
    Page("evidence", "evidence/", views.ask, _EXPORT, "Evidence packs", section=Section.PROOF),
    Page(
        "evidence-build",
        "evidence/build/",
        views.build,
        _EXPORT,
        "Build an evidence pack",
        methods=("POST",),
        recent=True,
    ),
    Page("evidence-pack", "evidence/<uuid:job_id>/", views.pack, _EXPORT, "Evidence pack"),
    Page("evidence-file", "evidence/<uuid:job_id>/file/", views.file, _EXPORT, "Evidence pack", recent=True),
)
