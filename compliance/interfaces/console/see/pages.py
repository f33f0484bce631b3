"""The pages of this part."""

from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.see import companies, machinery, person, proofs, registers, search, story
from compliance.interfaces.console.see.reading import READINGS
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE

PAGES: tuple[Page, ...] = (
    Page("companies", "", companies.companies, _SEE, "Companies", company=False),
    Page("overview", "", companies.overview, _SEE, "Overview", section=Section.COMPANY),
    Page("search", "search/", search.search, _SEE, "Find a person", section=Section.COMPANY),
    *(
        Page(
            name,
            f"registers/{name}/",
            registers.register,
            _SEE,
            reading.title,
            section=Section.REGISTERS,
            arguments=(("register", name),),
        )
        for name, reading in READINGS.items()
    ),
    Page("person", "people/<uuid:learner_profile_id>/", person.person, _SEE, "Person"),
    Page("record", "records/<slug:register>/<uuid:record_id>/", story.story, _SEE, "Story of a record"),
    Page("receipt", "receipts/<uuid:receipt_id>/", proofs.receipt, _SEE, "Receipt"),
    Page("policy", "policies/<uuid:course_release_id>/", proofs.policy, _SEE, "Policy version"),
    Page("captures", "captures/", machinery.captures, _SEE, "Captures", section=Section.PROVE),
    Page("capture", "captures/<int:capture_sequence>/", machinery.capture, _SEE, "Capture"),
    Page("waiting", "waiting/", machinery.waiting, _SEE, "Waiting and set aside", section=Section.PROVE),
    Page("keys", "keys/", machinery.keys, _SEE, "API keys", section=Section.COMPANY),
    Page("log", "log/", machinery.log, Permission.SEE_LOG, "Access log", section=Section.PROVE),
)
