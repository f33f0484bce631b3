"""The pages of this room: they are among those of Django's admin, for auditors and superusers."""

from django.utils.translation import gettext_lazy

from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.stored import views
from compliance.interfaces.console.stored.tables import TABLES

_MAY, _BELOW = Permission.SEE_STORED, "staff/records"

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("stored-companies", f"{_BELOW}/", views.companies, _MAY, gettext_lazy("Companies"), company=False),
    ConsolePage("stored", "", views.company, _MAY, gettext_lazy("Rows as stored"), below=_BELOW, section=Section.PROOF),
    *(
        ConsolePage(
            f"stored-{name}", f"{name}/", views.rows, _MAY, table.title, below=_BELOW, arguments=(("table", name),)
        )
        for name, table in TABLES.items()
    ),
    *(
        ConsolePage(
            f"stored-{name}-row",
            f"{name}/<int:number>/",
            views.row,
            _MAY,
            table.title,
            below=_BELOW,
            arguments=(("table", name),),
        )
        for name, table in TABLES.items()
    ),
)
