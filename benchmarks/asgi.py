"""The application of the benchmark: wrapped as in production, with the peers' addresses beside the product's."""

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"

from config.asgi import application

__all__ = ["application"]
