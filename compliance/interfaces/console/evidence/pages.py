"""The pages of this part."""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.evidence import room, views
from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission

_EXPORT = Permission.EXPORT

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("evidence", "evidence/", views.ask, _EXPORT, gettext_lazy("Evidence packs"), section=Section.PROOF),
    ConsolePage(
        "evidence-build",
        "evidence/build/",
        views.build,
        _EXPORT,
        gettext_lazy("Build an evidence pack"),
        methods=("POST",),
        recent=True,
    ),
    ConsolePage("evidence-pack", "evidence/<uuid:job_id>/", views.pack, _EXPORT, gettext_lazy("Evidence pack")),
    ConsolePage(
        "evidence-file", "evidence/<uuid:job_id>/file/", views.file, _EXPORT, gettext_lazy("Evidence pack"), recent=True
    ),
    ConsolePage("audit", "audit/", room.room, _EXPORT, _("Auditor's room"), section=Section.PROOF),
    ConsolePage(
        "audit-proofs", "audit/<uuid:job_id>/proofs/", room.proofs, _EXPORT, _("Proofs of a sample"), recent=True
    ),
)
