"""`make restore`: a backup, a longer history, an erasure; then the older backup is put back.

It uses the scripts of deploy/. The checkpoint refuses the older history with a clear sentence; after `--accept` and
`replay_erasures` and `end_access` the service serves again, erased people stay erased, and keys of before do not open.
"""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx

from development.embedded import binaries
from tests.operations.company import drained, make_company
from tests.operations.service import ROOT, Service, running, set_up_django, wait_for


def main() -> int:
    """Prints each step; raises or ends with exit code 1 when a step fails."""
    with running("web", "worker", "signer", "beat") as service:
        set_up_django(service)
        for step in run(service):
            sys.stdout.write(f"{step}\n")
            sys.stdout.flush()
    sys.stdout.write("Restored; it serves again.\n")
    return 0


def run(service: Service) -> Iterator[str]:
    """Runs all steps, and yields a sentence for each."""
    from compliance.log import signing
    from tests import verbs

    company = make_company(service, "Restored")
    organization_id = uuid.UUID(company.organization_id)

    def join(name: str) -> uuid.UUID:
        _, learner = verbs.join_employee(
            organization_id=organization_id, at=datetime.now(UTC), now=datetime.now(UTC), person_name=name
        )
        wait_for(lambda: drained(service, company.organization_id), 60, "captured")
        return learner

    erased = join("Erased Later")
    leaked = service.create_key(company.organization_id)
    backup = service.folder / "backup"
    _script(service, "backup.sh", str(backup))
    yield "Backup made."
    service.manage("erase", "--organization", company.organization_id, "--profile", str(erased))
    join("Joined After")
    signing.sign_new(datetime.now(UTC))
    head = service.ask("SELECT capture_sequence FROM history_historyhead WHERE organization_id = %s", organization_id)
    yield f"History grown to capture {head[0][0]}, one person erased, checkpoint written."

    service.end_processes()
    _script(service, "restore.sh", str(backup))
    yield "Older backup restored."
    refused = service.manage("safe_to_start", check=False)
    _must(refused.returncode == 1 and "has gone backwards" in refused.stderr, refused.stderr)
    yield f"Start refused: {refused.stderr.strip().splitlines()[0]}"
    _must(not _answers(service), "A web server answered although its history is refused.")
    verified = service.manage("verify_history", "--checkpoints", check=False)
    _must(verified.returncode == 1 and "--accept" in verified.stderr, verified.stderr)
    service.manage("verify_history", "--checkpoints", "--accept")
    yield "Accepted by the operator."
    replayed = service.manage("replay_erasures")
    yield f"Erasures replayed: {(replayed.stdout + replayed.stderr).strip().splitlines()[-1]}"
    service.manage("end_access")
    yield "Access ended."
    for name in ("web", "worker", "beat"):
        service.run(name)
    service.wait_until_ready()
    key = service.create_key(company.organization_id)
    wait_for(lambda: drained(service, company.organization_id), 60, "captured")
    answer = _people(service, leaked)
    _must(answer.status_code == 401, f"A key from before the restore: {answer.status_code}")
    answer = _people(service, key)
    _must(answer.status_code == 200, answer.text)
    (row,) = answer.json()["data"]
    _must(row["learner_profile_id"] == str(erased) and row["access_state"] == "erased", str(row))
    _must(not service.verify(), "verification")
    yield (f"Serving: {answer.status_code}, {row['access_state']} person named {row['person_name']!r}; chains verify.")


def _script(service: Service, name: str, *arguments: str) -> None:
    tools = binaries.postgresql_tree(18) / "bin"
    environment = service.environment | {"PATH": f"{tools}{os.pathsep}{service.environment['PATH']}"}
    done = subprocess.run(
        [ROOT / "deploy" / name, *arguments], env=environment, cwd=ROOT, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    _must(done.returncode == 0, f"{name}: {done.stderr}")


def _people(service: Service, key: str) -> httpx.Response:
    today = datetime.now(UTC).date().isoformat()
    return httpx.get(
        f"{service.base_url}/v1/people", params={"from": today, "to": today}, headers={"Authorization": f"Bearer {key}"}
    )


def _answers(service: Service) -> bool:
    """Whether a web server that was started anyway answers: granian starts refused workers again and again."""
    web = service.run("web")
    try:
        wait_for(lambda: "Refused to start" in (service.folder / "web.log").read_text(), 60, "the refusal of web")
        return service.ready()
    finally:
        del service.processes["web"]
        web.end()


def _must(well: bool, otherwise: str) -> None:
    if not well:
        raise SystemExit(f"FAILED. {otherwise}")


if __name__ == "__main__":
    sys.exit(main())
