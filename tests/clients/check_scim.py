"""Runs every check of scim2-tester against `/scim/v2` of a running server; run by its tools' Python.

The tester discovers the server from what it publishes, and validates each answer with scim2-models. A check that could
not run counts as failed here, unless `LEFT_OUT` gives a reason.
"""

import os
import sys
from collections import Counter

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import CheckResult, Status, check_server

GOOD = {Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE}
LEFT_OUT = {"search_with_attributes": "searches at the root, over Users and Groups at once, are answered by 501"}
"""Checks that this server cannot run, by title, with the reason."""
FEWEST = 60
"""Fewer results mean that the tester ended before it came to the resources."""


def main() -> int:
    """Prints a line for each result that is not good, and the totals."""
    headers = {"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"}
    with Client(base_url=f"{os.environ['BASE_URL']}/scim/v2", headers=headers, timeout=60) as http:
        results = check_server(SyncSCIMClient(http))
    bad = [result for result in results if not _is_good(result)]
    for result in bad:
        sys.stdout.write(f"{result.status.name} {result.resource_type or '-'} {result.title}: {result.reason}\n")
        if result.data is not None:
            sys.stdout.write(f"    {str(result.data)[:2000]}\n")
    counted = Counter(result.status.name for result in results)
    sys.stdout.write(f"{len(results)} results: {dict(sorted(counted.items()))}; {len(bad)} are not good\n")
    return 1 if bad or len(results) < FEWEST else 0


def _is_good(result: CheckResult) -> bool:
    return result.status in GOOD or (result.status is Status.SKIPPED and result.title in LEFT_OUT)


if __name__ == "__main__":
    sys.exit(main())
