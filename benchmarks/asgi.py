"""The application of the benchmark: as production wraps it, with the peers' addresses beside the product's."""

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"

from config.asgi import application

__all__ = ["application"]
