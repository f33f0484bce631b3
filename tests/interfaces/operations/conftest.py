"""A checkpoint file of the test's own."""

from pathlib import Path

import pytest

from compliance.interfaces.operations import checkpoint_file


@pytest.fixture(autouse=True)
def checkpoints_at(settings, tmp_path) -> Path:
    settings.CHECKPOINT_FILE = str(tmp_path / "checkpoints.notes")
    settings.CHECKPOINT_KEYS = ["a key of the test that is long enough"]
    settings.CHECKPOINT_VERIFIER_KEYS = []
    return checkpoint_file.path()
