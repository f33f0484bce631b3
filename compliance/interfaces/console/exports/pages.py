"""The pages of this part."""

from django.utils.translation import gettext_lazy

from compliance.interfaces.console.exports import views
from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage(
        "exports",
        "exports/",
        views.exports,
        Permission.EXPORT,
        gettext_lazy("Standing exports"),
        section=Section.REPORTS,
    ),
    ConsolePage(
        "exports-file",
        "exports/<uuid:file_id>/file/",
        views.file,
        Permission.EXPORT,
        gettext_lazy("Standing exports"),
        recent=True,
    ),
)
