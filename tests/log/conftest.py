"""A log of the test's own."""

from pathlib import Path

import pytest

from tests.log.deployment import KEY


@pytest.fixture(autouse=True)
def log_folder(settings, tmp_path) -> Path:
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.LOG_ORIGIN = ""
    settings.BASE_URL = "https://records.example.com"
    settings.CHECKPOINT_KEYS = [KEY]
    settings.CHECKPOINT_VERIFIER_KEYS = []
    return tmp_path / "log"
