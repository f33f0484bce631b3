"""`python -m compliance.contentfile serve PATH`: a package in the player on its author's machine.

Django draws the pages, configured here only: without a database, without sessions, without the settings of a
deployment. Whenever a file of the package changes, the package is checked again and the browser reloads the page.
"""

import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from threading import Lock
from typing import Any, TextIO
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

from compliance.contentfile.course import Reading
from compliance.contentfile.errors import PackageUnreadable
from compliance.contentfile.package import CheckedPackage, check_package
from compliance.contentfile.reading import read_package

ROOT = Path(__file__).resolve().parents[3]


class Served:
    """The package as it is on the disk now: checked once for each state of its files, read once for each language."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._state: object = None
        self._package: CheckedPackage | None = None
        self._readings: dict[str, Reading] = {}

    def package(self) -> CheckedPackage:
        """The package as it is now. Raises PackageUnreadable."""
        with self._lock:
            state = self.state()
            if self._package is None or state != self._state:
                self._package = check_package(self.path)
                self._state, self._readings = state, {}
            return self._package

    def reading(self, language: str) -> Reading:
        """The package in one of its languages. Raises PackageUnreadable and PackageFaulty."""
        package = self.package()
        with self._lock:
            if language not in self._readings:
                self._readings[language] = read_package(package, language)
            return self._readings[language]

    def state(self) -> str:
        """A text that differs after a file was changed, added or removed; "" while there is no package."""
        try:
            files = sorted(self.path.rglob("*")) if self.path.is_dir() else [self.path.resolve()]
            found = ((str(each), each.lstat()) for each in files)  # a link may lead nowhere
            return str(hash(tuple((name, state.st_mtime_ns, state.st_size) for name, state in found)))
        except OSError:
            return ""


served = Served(Path())
"""The package of this process; `serve` sets it."""


class _Server(ThreadingMixIn, WSGIServer):
    """One thread per request: a film's sound may load while the next page does."""

    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    """Logs no requests: an author looks at the browser."""

    def log_message(self, format: str, *values: Any) -> None:
        """Does nothing."""


def configure() -> None:
    """Configures Django for these pages only."""
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        ROOT_URLCONF="compliance.interfaces.player.author_urls",
        SECRET_KEY="-",  # noqa: S106 - nothing is signed: there are no sessions, and no forms that change anything
        STATIC_URL="/static/",
        USE_TZ=True,
        APPEND_SLASH=False,
        MIDDLEWARE=[
            "csp.middleware.CSPMiddleware",
            "django.middleware.security.SecurityMiddleware",
            "django.middleware.common.CommonMiddleware",  # refuses other hosts, so no other site reads these pages
        ],
        CONTENT_SECURITY_POLICY={
            "DIRECTIVES": {
                "default-src": ["'none'"],
                **{f"{each}-src": ["'self'"] for each in ("script", "style", "img", "media", "connect")},
                "form-action": ["'self'"],
                "frame-ancestors": ["'none'"],
                "base-uri": ["'none'"],
            }
        },
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "DIRS": [ROOT / "templates"],
                "OPTIONS": {
                    "libraries": {"player": "compliance.interfaces.player.tags"},
                    "context_processors": ["django.template.context_processors.request"],
                },
            }
        ],
    )
    django.setup()


def serve(path: Path, port: int, out: TextIO) -> int:
    """Serves until it is stopped. Returns the exit status: 2 when there is nothing to serve or the port is taken."""
    try:
        check_package(path)
    except PackageUnreadable as error:
        sys.stderr.write(f"{path}: cannot be read ({error})\n")
        return 2
    configure()
    from django.core.handlers.wsgi import WSGIHandler

    served.path = path
    try:
        server = make_server("127.0.0.1", port, WSGIHandler(), server_class=_Server, handler_class=_Quiet)
    except (OSError, OverflowError) as error:
        sys.stderr.write(f"Port {port} cannot be served: {error}\n")
        return 2
    with server:
        out.write(f"{path} is at http://127.0.0.1:{server.server_port}/ - Ctrl-C ends it.\n")
        out.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            out.write("\n")
    return 0
