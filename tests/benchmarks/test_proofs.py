"""Proofs are measured on imported companies, beside companies built without the writer, which have no digests."""

from datetime import UTC, datetime

import pytest

from benchmarks import building, proofs
from compliance.history.queries import capture_ends

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.one_server("Citus makes a COPY of what builds the benchmark's data, and row-level security refuses it")
def test_proofs_are_made_while_built_companies_are_kept_from_the_signer_and_stay_open(committed, settings, tmp_path):
    settings.LOG_FOLDER = str(tmp_path)
    built = building.company("Built", 30, 3, NOW, building.template(NOW))
    building.captures(built.organization_id, 90, NOW)
    imported = building.large(5, NOW)

    timed, sized = proofs.rows(imported.organization_id, 20, NOW)

    assert timed.measured > 0
    assert 0 < sized.measured <= proofs.MOST_BYTES
    assert all(end.available for end in capture_ends().values())
