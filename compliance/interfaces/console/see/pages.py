"""The pages of this part."""

from compliance.catalogue import READINGS
from compliance.catalogue.declaration import Register
from compliance.interfaces.console.page import Page, Section, register_page
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
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import Scope

_SEE = Permission.SEE
_SECTIONS = {Scope.PEOPLE_READ: Section.PEOPLE, Scope.ACKNOWLEDGEMENTS_READ: Section.POLICY}


def _section(register: Register) -> Section | None:
    """Where a register stands in the navigation: those of versions are reached from the lists that have their names."""
    listed = register_page(register.page) == register.page
    return _SECTIONS.get(register.scope, Section.COURSE) if listed else None


PAGES: tuple[Page, ...] = (
    Page("companies", "companies/", companies.companies, _SEE, "Companies", company=False, methods=("GET", "POST")),
    Page("history", "history/", companies.history, _SEE, "History", section=Section.PROOF),
    Page("search", "search/", search.search, _SEE, "Find a person", methods=("GET", "POST")),
    *(
        Page(
            register_page(register.page),
            f"registers/{register.page}/",
            registers.register,
            _SEE,
            register.title,
            section=_section(register),
            arguments=(("register", register.page),),
        )
        for register in READINGS
    ),
    Page(
        "personal-file",
        "people/<uuid:learner_profile_id>/file/",
        personal_file.file,
        Permission.CHANGE_RECORDS,  # not for auditors: it holds each answer, of which they see counts alone
        "All that is kept about a person",
        recent=True,
    ),
    Page("record", "records/<slug:register>/<uuid:record_id>/", story.story, _SEE, "Story of a record"),
    Page("record-proof", "records/<slug:register>/<uuid:record_id>/proof/", row_proofs.page, _SEE, "Proof of a record"),
    Page(
        "record-proof-file",
        "records/<slug:register>/<uuid:record_id>/proof/file/",
        row_proofs.file,
        _SEE,
        "Proof of a record",
    ),
    Page("receipt", "receipts/<uuid:receipt_id>/", proofs.receipt, _SEE, "Receipt"),
    Page("policy", "policies/<uuid:course_release_id>/", proofs.policy, _SEE, "Policy version"),
    Page("captures", "captures/", machinery.captures, _SEE, "Captures"),
    Page("capture", "captures/<int:capture_sequence>/", machinery.capture, _SEE, "Capture"),
    Page("waiting", "waiting/", machinery.waiting, _SEE, "Waiting and set aside"),
    Page("keys", "keys/", machinery.keys, _SEE, "API keys", section=Section.SETTINGS),
    Page("sources", "sources/", machinery.sources, _SEE, "Sources", section=Section.SETTINGS),
    Page("log", "log/", log.log, Permission.SEE_LOG, "Access log", section=Section.PROOF),
    Page(
        "log-person",
        "log/people/<uuid:learner_profile_id>/",
        log.person,
        Permission.SEE_LOG,
        "Who saw this person's records",
    ),
    Page("log-file", "log/file/<slug:written_as>/", log.file, Permission.SEE_LOG, "Access log", recent=True),
)
