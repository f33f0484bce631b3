"""A course of 200 pages as a learner opens it: milliseconds on the server for its pages, and bytes.

`set -a; . var/servers.env; python -m benchmarks.player [--limit 50]` beside a running demo: it makes a company of its
own, publishes the course there, and asks for each page whole: middleware, session, take, template. The first page comes
from a process that has read nothing of the course yet. Fails when the median or the 99th percentile is over the limit.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import django


def main() -> int:
    """Measures and prints. Exit 1 when the bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=50.0, help="milliseconds that a page may take")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["ALLOWED_HOSTS"] = "testserver"
    django.setup()
    from django.test import Client

    from compliance.contentfile import check_package
    from compliance.facts.courses.publishing import publish_package
    from compliance.history.actions import capture_all
    from compliance.learning import sessions
    from compliance.tenancy import context
    from tests.companies import Course, make_present_company, noon
    from tests.packages import long_course, written

    company = make_present_company("Benchmark of the player")
    anna = company.join("Anna", at=noon(20))
    with tempfile.TemporaryDirectory() as folder:
        package = check_package(written(long_course(200), Path(folder)))
        published = publish_package(
            organization_id=company.organization_id, package=package, at=company.start, now=company.now
        )
    company.share(Course(published.course_id, published.course_release_id))
    capture_all(company.organization_id, now=datetime.now(UTC))
    with context.company(company.organization_id):
        token = sessions.begin(company.organization_id, anna.learner_profile_id, "Benchmark", datetime.now(UTC))
    client = Client()
    client.cookies["learner"] = token
    assert package.content is not None
    pages = [page["id"] for lesson in package.content["lessons"] for page in lesson["pages"]]
    there = f"/learn/courses/{published.course_id}/"

    def ask(page: str) -> tuple[float, float, int]:
        """Milliseconds of the clock, milliseconds of the processor in this process, and bytes."""
        began, worked = time.perf_counter(), time.process_time()
        answer = client.get(there + page)
        took, busy = (time.perf_counter() - began) * 1000, (time.process_time() - worked) * 1000
        assert answer.status_code == 200, (page, answer.status_code)
        return took, busy, len(answer.content)

    client.get("/learn/devices")  # loads what every page of this process needs: templates, connection
    first, first_busy, _ = ask(pages[0])
    asked = [ask(page) for page in pages for _ in range(3)]
    took = sorted(milliseconds for milliseconds, _, _ in asked)
    busy = statistics.median(milliseconds for _, milliseconds, _ in asked)
    overview = statistics.median(ask("")[0] for _ in range(20))
    middle, high = statistics.median(took), took[int(len(took) * 0.99)]
    sys.stdout.write(
        f"load {os.getloadavg()[0]:.1f}; course of {len(pages)} pages\n"
        f"first page of the process {first:.0f} ms, {first_busy:.0f} ms of the processor\n"
        f"each page: median {middle:.1f} ms, {busy:.1f} ms of the processor; 99 % {high:.1f} ms, slowest {took[-1]:.1f} ms;"
        f" at most {max(size for _, _, size in asked):,} bytes of HTML\n"
        f"overview: median {overview:.1f} ms\n"
    )
    return 1 if max(middle, high) > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
