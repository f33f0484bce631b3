"""The pages of this room."""

from django.utils.translation import gettext_lazy

from compliance.catalogue import READINGS
from compliance.catalogue.declaration import Register
from compliance.interfaces.console.page import ConsolePage, Section, register_page
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.see import (
    companies,
    log,
    machinery,
    personal_file,
    proofs,
    registers,
    row_proofs,
    search,
    story,
)
from compliance.rules.vocabulary import Scope

_SEE = Permission.SEE
_SECTIONS = {Scope.PEOPLE_READ: Section.PEOPLE, Scope.ACKNOWLEDGEMENTS_READ: Section.POLICY}


def _section(register: Register) -> Section | None:
    """A register's section in the navigation; None for one of versions or of a period: lists and reports have these."""
    listed = register_page(register.page) == register.page == register.path
    return _SECTIONS.get(register.scope, Section.COURSE) if listed else None


PAGES: tuple[ConsolePage, ...] = (
    ConsolePage(
        "companies",
        "companies/",
        companies.companies,
        _SEE,
        gettext_lazy("Companies"),
        company=False,
        methods=("GET", "POST"),
    ),
    ConsolePage("history", "history/", companies.history, _SEE, gettext_lazy("History"), section=Section.PROOF),
    ConsolePage("search", "search/", search.search, _SEE, gettext_lazy("Search"), methods=("GET", "POST")),
    *(
        ConsolePage(
            register_page(register.page),
            f"registers/{register.page}/",
            registers.register,
            _SEE,
            gettext_lazy(register.title),
            section=_section(register),
            methods=("GET", "POST"),  # the name of the person to narrow a list to is posted
            arguments=(("register", register.page),),
        )
        for register in READINGS
    ),
    ConsolePage(
        "personal-file",
        "people/<uuid:learner_profile_id>/file/",
        personal_file.file,
        Permission.CHANGE_RECORDS,  # not for auditors: it holds each answer, and they may see only counts
        gettext_lazy("All that is kept about a person"),
        recent=True,
    ),
    ConsolePage(
        "record", "records/<slug:register>/<uuid:record_id>/", story.story, _SEE, gettext_lazy("Story of a record")
    ),
    ConsolePage(
        "record-proof",
        "records/<slug:register>/<uuid:record_id>/proof/",
        row_proofs.page,
        _SEE,
        gettext_lazy("Proof of a record"),
    ),
    ConsolePage(
        "record-proof-file",
        "records/<slug:register>/<uuid:record_id>/proof/file/",
        row_proofs.file,
        _SEE,
        gettext_lazy("Proof of a record"),
    ),
    ConsolePage("receipt", "receipts/<uuid:receipt_id>/", proofs.receipt, _SEE, gettext_lazy("Receipt")),
    ConsolePage("policy", "policies/<uuid:course_release_id>/", proofs.policy, _SEE, gettext_lazy("Policy version")),
    ConsolePage("captures", "captures/", machinery.captures, _SEE, gettext_lazy("Captures")),
    ConsolePage("capture", "captures/<int:capture_sequence>/", machinery.capture, _SEE, gettext_lazy("Capture")),
    ConsolePage("waiting", "waiting/", machinery.waiting, _SEE, gettext_lazy("Waiting and set aside")),
    ConsolePage("keys", "keys/", machinery.keys, _SEE, gettext_lazy("API keys"), section=Section.SETTINGS),
    ConsolePage("sources", "sources/", machinery.sources, _SEE, gettext_lazy("Sources"), section=Section.SETTINGS),
    ConsolePage("log", "log/", log.log, Permission.SEE_LOG, gettext_lazy("Access log"), section=Section.PROOF),
    ConsolePage(
        "log-person",
        "log/people/<uuid:learner_profile_id>/",
        log.person,
        Permission.SEE_LOG,
        gettext_lazy("Who saw this person's records"),
    ),
    ConsolePage(
        "log-file", "log/file/<slug:written_as>/", log.file, Permission.SEE_LOG, gettext_lazy("Access log"), recent=True
    ),
)
