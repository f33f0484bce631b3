"""Every page of the console on the largest company of a database: page, milliseconds, statements.

Build the company first (docs/console.md, "How fast"), then: `python -m benchmarks.console_pages [--limit 1000]`. Each
address is asked once to warm up and then five times, whole: middleware, session, access log, template. Prints a table
for the documentation and fails when a median is over the limit.
"""

import argparse
import os
import statistics
import sys
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import django

ROUNDS = 5


def main() -> int:
    """Measures and prints. Exit 1 when a page is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=1000, help="milliseconds that no median may exceed")
    parser.add_argument("--only", default="", help="pages whose name contains this")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["ALLOWED_HOSTS"] = "testserver"
    django.setup()
    from django.contrib.auth.models import User
    from django.db import connection
    from django.http import HttpRequest
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from compliance.interfaces.console.sign_in import sessions
    from compliance.tenancy import sql

    ((organization_id, size),) = sql.fetch(
        "SELECT organization_id, sequence FROM history_historyhead ORDER BY sequence DESC LIMIT 1"
    )
    user, _ = User.objects.get_or_create(username="benchmark", defaults={"is_superuser": True, "is_staff": True})
    client = Client()
    client.force_login(user)
    request = HttpRequest()
    request.session, request.user = client.session, user
    sessions.begin(request, user, timezone.now())
    request.session.save()
    sys.stdout.write(f"{size:,} row versions; load {os.getloadavg()[0]:.1f}\n\n")
    sys.stdout.write("| page | median ms | slowest ms | statements | KiB |\n| --- | --- | --- | --- | --- |\n")
    slow = []
    for name, method, address, data in addresses(organization_id):
        if options.only not in name:
            continue

        def ask(method: str = method, address: str = address, data: Any = data) -> Any:
            return client.get(address) if method == "GET" else client.post(address, data)

        answer = ask()
        assert answer.status_code in (200, 302), (name, address, answer.status_code, answer.content[:2000])
        took = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            ask()
            took.append((time.perf_counter() - began) * 1000)
        with CaptureQueriesContext(connection) as asked:
            answer = ask()
        middle = statistics.median(took)
        slow += [name] if middle > options.limit else []
        size = 0 if answer.streaming else len(answer.content)
        sys.stdout.write(f"| {name} | {middle:.0f} | {max(took):.0f} | {len(asked)} | {size / 1024:.0f} |\n")
        sys.stdout.flush()
    sys.stdout.write(
        f"\nload at the end {os.getloadavg()[0]:.1f}; over {options.limit} ms: {', '.join(slow) or 'none'}\n"
    )
    return 1 if slow else 0


def addresses(organization_id: uuid.UUID) -> Iterator[tuple[str, str, str, Any]]:
    """(name, method, address, data) of every page, and of pages with filters, far moments, and previews of acts."""
    from django.urls import reverse
    from django.utils import timezone

    from compliance.interfaces.console.page import ConsolePage, register_page
    from compliance.interfaces.console.pages import PAGES
    from compliance.interfaces.console.understand.filters import SHOWS
    from compliance.registers.listings import LISTINGS

    now = timezone.now()
    known = {name: value for name, value in samples(organization_id).items() if value is not None}

    def place(name: str, **more: Any) -> str:
        page = next(page for page in PAGES if page.name == name)
        values = {each: more.get(each, known.get(each)) for each in asks_for(page)}
        return reverse(
            f"console:{name}", kwargs=values | ({"organization_id": organization_id} if page.company else {})
        )

    def asks_for(page: ConsolePage) -> set[str]:
        return {part.split(">")[0].rpartition(":")[2] for part in page.path.split("<")[1:]}

    for page in PAGES:
        # The company has no course content, packs, reports, webhooks or jobs, so their pages would be empty.
        if page.name.startswith("reading-") or page.name == "reading" or not asks_for(page) <= known.keys():
            continue
        if "GET" in page.methods:
            of_policy = {"course_id": known["policy_id"]} if page.name == "policy-page" else {}
            yield page.name, "GET", place(page.name, **of_policy), None
    yield (
        "policy-page, 300 days ago",
        "GET",
        (f"{place('policy-page', course_id=known['policy_id'])}?as_at={(now - timedelta(days=300)).date()}"),
        None,
    )
    past = (now - timedelta(days=300)).date().isoformat()
    for name, listing in LISTINGS.items():
        address = place(register_page(name))
        yield f"{name}, 300 days ago", "GET", f"{address}?as_at={past}", None
        for word in listing.filters:
            yield f"{name}, {word}", "GET", f"{address}?show={word}", None
    yield "training-records, known at capture 5", "GET", f"{place('training-records')}?known=5", None
    for show in SHOWS:
        yield f"work list, {show}", "GET", f"{place('work')}?show={show}", None
        yield f"work list, {show}, a team", "GET", f"{place('work')}?show={show}&team={known['team']}", None
    yield "work list, a course", "GET", f"{place('work')}?course={known['course_id']}", None
    yield "dashboard, a course", "GET", f"{place('dashboard')}?course={known['course_id']}", None
    yield "matrix, a team", "GET", f"{place('matrix')}?team={known['team']}", None
    for kind, wanted in (("a common name", "anna"), ("an address", known["email"]), ("nobody", "zzyzx"),
                         ("an identifier", known["record_id"])):  # fmt: skip
        yield f"search, {kind}", "POST", place("search"), {"q": wanted}
    yield "receipt, verified", "GET", f"{place('receipt')}?verify=1", None
    person, course = str(known["learner_profile_id"]), str(known["course_id"])
    for act, data in (
        ("waive", {"learner_profile_id": person, "course_id": course, "reason_code": "medical"}),
        ("suspend", {"learner_profile_id": person}),
        ("end", {"learner_profile_id": person}),
        ("erase", {"learner_profile_id": person, "understood": "on"}),
    ):
        yield f"preview of {act}", "POST", place(f"act-{act}"), {"step": "preview", **data}
    for what in ("dashboard", "work", "matrix", "training-records"):
        yield f"export {what} begins", "GET", place("export", what=what, written_as="csv"), None


def samples(organization_id: uuid.UUID) -> dict[str, Any]:
    """Values for the parameters of any page's path: those of a person in the middle of the company with a receipt."""
    from compliance.tenancy import context, sql

    with context.company(organization_id):
        ((person, receipt, release),) = sql.fetch(
            "SELECT learner_profile_id, receipt_id, course_release_id FROM policies_receipt WHERE organization_id = %s"
            " ORDER BY number DESC OFFSET 50000 LIMIT 1",
            [organization_id],
        )
        ((record, course),) = sql.fetch(
            "SELECT record_id, course_id FROM history_historyrecord WHERE organization_id = %s AND register = 1"
            " AND learner_profile_id = %s LIMIT 1",
            [organization_id, person],
        )
        ((policy,),) = sql.fetch(
            "SELECT course_id FROM policies_receipt WHERE organization_id = %s AND receipt_id = %s",
            [organization_id, receipt],
        )
        ((share,),) = sql.fetch(
            "SELECT share_id FROM shares_share WHERE organization_id = %s LIMIT 1", [organization_id]
        )
        ((team,),) = sql.fetch("SELECT team_id FROM people_team WHERE organization_id = %s LIMIT 1", [organization_id])
        reports = sql.fetch(
            "SELECT report_id FROM reports_report WHERE organization_id = %s AND ready ORDER BY begun_at DESC LIMIT 1",
            [organization_id],
        )
        ((email,),) = sql.fetch(
            "SELECT account_email FROM people_profile WHERE organization_id = %s AND learner_profile_id = %s",
            [organization_id, person],
        )
    return {
        "learner_profile_id": person, "receipt_id": receipt, "course_release_id": release, "record_id": record,
        "course_id": course, "register": "training-records", "capture_sequence": 20, "team": team, "team_id": team,
        "share_id": share, "policy_id": policy, "email": email,
        "report_id": reports[0][0] if reports else None,
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
