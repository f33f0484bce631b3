"""A log of the test's own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def log_folder(settings, tmp_path) -> Path:
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.CHECKPOINT_KEYS = ["a key of the test that is long enough"]
    settings.CHECKPOINT_VERIFIER_KEYS = []
    return tmp_path / "log"
