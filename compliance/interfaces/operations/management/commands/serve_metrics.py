"""Serves Prometheus metrics on a private port: `serve_metrics [--address 127.0.0.1] [--port METRICS_PORT]`."""

import signal
import threading
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from prometheus_client import start_http_server

from compliance.interfaces.operations import metrics, startup


class Command(BaseCommand):
    """Runs until it is stopped."""

    help = "Serves /metrics for Prometheus. Keep the port private."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=settings.METRICS_PORT)

    def handle(self, *_: Any, **options: Any) -> None:
        startup.start_or_exit()
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        server, _thread = start_http_server(
            options["port"], options["address"], metrics.registry(lambda: datetime.now(UTC))
        )
        ended.wait()
        server.shutdown()
