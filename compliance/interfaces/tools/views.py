"""Downloads of the verifier, the witness and the sender of facts, without a key: `/tools/verify.py` and so on.

The first two are built from the running code, once per process. To be sure of a file, compare it with one downloaded
earlier, or with the sources in the repository, which it holds unchanged. There is no CSRF check: POST is 405, not 403.
"""

from functools import lru_cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from compliance.proofs.single_file import single_file

CLIENTS = Path(__file__).resolve().parents[3] / "clients"
"""Programs that are one file already."""
FOR_AN_HOUR = "public, max-age=3600"


@csrf_exempt
@require_safe
@gzip_page
def verify(request: HttpRequest) -> HttpResponse:
    """The verifier of evidence packs, of proofs of rows and of pulled pages."""
    return _file("verify")


@csrf_exempt
@require_safe
@gzip_page
def witness(request: HttpRequest) -> HttpResponse:
    """A witness that cosigns the log's checkpoints."""
    return _file("witness")


@csrf_exempt
@require_safe
@gzip_page
def send_facts(request: HttpRequest) -> HttpResponse:
    """The program that sends a facts file to `POST /in/v1/facts`."""
    return _file("send_facts")


def _file(program: str) -> HttpResponse:
    response = HttpResponse(_source(program), content_type="text/x-python; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{program}.py"'
    response.headers["Cache-Control"] = FOR_AN_HOUR
    return response


@lru_cache(maxsize=3)
def _source(program: str) -> str:
    whole = CLIENTS / f"{program}.py"
    return whole.read_text(encoding="utf-8") if whole.is_file() else single_file(program)
