"""How the suite is run: what is tested on only one version of Python and PostgreSQL, and which files begin first.

`.ci/run` runs the suite twice: everything on the oldest Python and the newest PostgreSQL, and what could fail on
another version on the newest Python and the oldest PostgreSQL (`pytest --both-versions`; ADR 0121).
"""

ONCE = {
    "tests/acceptance": "a year of real learners; both versions run its rules and statements on less data",
    "tests/benchmarks": "tests of the benchmarks, which are run on one version",
    "tests/development": "the demo and its servers; every run of the suite starts the same servers",
    "tests/files/test_faults.py": "a real S3 server that is frozen and killed",
    "tests/house": "reads the text of the repository",
    "tests/interfaces/accessibility": "how a browser displays pages",
    "tests/interfaces/commands/test_import_people.py": "files of 5,000 people; both versions read smaller ones",
    "tests/interfaces/console/acting": "forms and previews of acts, whose facts both versions record",
    "tests/interfaces/console/jobs": "working days of staff in a browser",
    "tests/interfaces/console/sign_in": "accounts and second factors: plain statements of the ORM",
    "tests/interfaces/console/test_acting.py": "forms and previews of acts, whose facts both versions record",
    "tests/interfaces/console/test_every_address.py": "the addresses of the URLconf",
    "tests/interfaces/console/test_everybody_everywhere.py": "who may open which page: plain statements of the ORM",
    "tests/interfaces/console/test_hostile_addresses.py": "how the values in addresses are read",
    "tests/interfaces/console/test_languages.py": "which language a browser gets",
    "tests/interfaces/console/test_texts.py": "reads templates and modules for texts that no catalogue has",
    "tests/interfaces/learner/test_texts.py": "reads templates and modules for texts that no catalogue has",
    "tests/interfaces/console/test_permissions.py": "who may open which page: plain statements of the ORM",
    "tests/interfaces/console/test_wording.py": "reads the catalogues of translations",
    "tests/interfaces/operations/test_production.py": "what a deployment refuses to start with",
    "tests/interfaces/console/test_slow_statements.py": "time limits of statements, which both versions share",
    "tests/interfaces/ingest/test_killed.py": "real processes, killed",
    "tests/interfaces/test_integrations.py": "the examples of a document, in a shell against a real server",
    "tests/interfaces/pages/test_links.py": "the setting with which links begin",
    "tests/interfaces/scim/test_hostile.py": "random bodies, which are refused before anything is recorded",
    "tests/interfaces/serving/test_product.py": "the whole server against slow senders; both versions test its parts",
    "tests/isolation": "every page with another company's identifiers; other tests run its SQL on both versions",
    "tests/log/test_kills.py": "real processes, killed",
    "tests/operations": "real processes, killed and under load; other tests run the same code on both versions",
    "tests/proofs/test_mutations.py": "random changes to proofs; other tests run the verifiers on both versions",
    "tests/webhooks/test_kills.py": "real processes, killed",
}
"""Folders and files for which one version is enough, each with its reason. Everything else runs on both."""

LONGEST_FIRST = (
    "tests/isolation/test_foreign_identifiers.py",
    "tests/interfaces/console/test_everybody_everywhere.py",
    "tests/acceptance/test_open_university.py",
    "tests/interfaces/scim/test_hostile.py",
    "tests/oracle/test_companies.py",
    "tests/interfaces/commands/test_import_people.py",
    "tests/development/embedded/test_servers.py",
    "tests/learning/test_any_way.py",
    "tests/proofs/test_witness.py",
    "tests/proofs/test_mutations.py",
    "tests/interfaces/serving/test_front.py",
    "tests/history/test_tree.py",
    "tests/provisioning/test_filtering.py",
    # Files that commit begin after all others, so these are the first of them.
    "tests/interfaces/accessibility/test_every_page.py",
    "tests/interfaces/learner/test_walk.py",
    "tests/development/demo/test_processes.py",
    "tests/log/test_kills.py",
    "tests/interfaces/console/test_browser.py",
    "tests/interfaces/test_integrations.py",
    "tests/interfaces/console/policies/test_browser.py",
    "tests/interfaces/console/test_access_chain.py",
    "tests/interfaces/learner/offline/test_offline.py",
    "tests/interfaces/serving/test_product.py",
    "tests/properties/test_feed.py",
    "tests/interfaces/learner/player/test_films.py",
    "tests/history/test_concurrency.py",
    "tests/interfaces/test_pull.py",
    "tests/properties/test_packs.py",
    "tests/properties/test_pinned_pulls.py",
    "tests/webhooks/test_kills.py",
)
"""Files that take longest, so that no worker begins one while the others are idle."""


def runs_once(path: str) -> bool:
    """Whether one version is enough for this file or folder of tests."""
    return any(path == each or path.startswith(f"{each}/") for each in ONCE)


def turn(path: str) -> int:
    """The position at which a file begins: those of the list in its order, all others after them."""
    return LONGEST_FIRST.index(path) if path in LONGEST_FIRST else len(LONGEST_FIRST)
