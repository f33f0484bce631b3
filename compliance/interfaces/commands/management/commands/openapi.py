"""Writes the contract that /v1/openapi.json serves; docs/openapi.json is its output for https://svc.example."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from compliance.interfaces.api.openapi import document_bytes

EXAMPLE_URL = "https://svc.example"


class Command(BaseCommand):
    """Prints, or writes to a file."""

    help = "Prints the OpenAPI document."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--base-url", default=EXAMPLE_URL)
        parser.add_argument("--file", type=Path)

    def handle(self, *_: Any, **options: Any) -> None:
        content = document_bytes(options["base_url"])
        if options["file"] is None:
            self.stdout.write(content.decode(), ending="")
        else:
            options["file"].write_bytes(content)
