"""A log for the test, whose key the test has, so that packs are signed at once."""

from pathlib import Path

import pytest

KEY = "a key of the test that is long enough"


@pytest.fixture
def log_folder(settings, tmp_path) -> Path:
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.LOG_ORIGIN = "records.example.com/log"
    settings.CHECKPOINT_KEYS = [KEY]
    settings.CHECKPOINT_VERIFIER_KEYS = []
    return tmp_path / "log"
