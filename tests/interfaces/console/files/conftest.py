"""Both places in which files are kept, for downloads and uploads of staff."""

from tests.files.conftest import bucket, folder, place, server
from tests.interfaces.console.evidence.conftest import log_folder

__all__ = ["bucket", "folder", "log_folder", "place", "server"]
