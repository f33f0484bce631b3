"""The newest checkpoint, and the tiles and bundles of entries that it covers (C2SP tlog-tiles).

An invalid path, or one that is not covered yet, is 404. Tiles never change, so they may be cached for ever; the
checkpoint changes. Nothing is written here, so there is no CSRF check: POST is 405, not 403.
"""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from compliance.log import queries
from compliance.proofs.errors import TilePathRefused
from compliance.proofs.log import TILE_WIDTH, TilePath, entry_bundle, parse_tile_path, tile_width
from compliance.proofs.merkle import HASH_BYTES

FOR_SECONDS = "public, max-age=3"
FOR_GOOD = "public, max-age=31536000, immutable"


@csrf_exempt
@require_safe
def checkpoint(request: HttpRequest) -> HttpResponse:
    """The newest signed checkpoint, with the cosignatures of witnesses; 404 before the first."""
    newest = queries.newest_checkpoint()
    if newest is None:
        raise Http404("Nothing has been signed yet.")
    return _cached(HttpResponse(newest.note, content_type="text/plain; charset=utf-8"), FOR_SECONDS)


@csrf_exempt
@require_safe
@gzip_page
def tile(request: HttpRequest, rest: str) -> HttpResponse:
    """A tile of hashes or a bundle of entries; of a partial one, as many as its path names."""
    try:
        wanted = parse_tile_path(f"tile/{rest}")
    except TilePathRefused as error:
        raise Http404(str(error)) from error
    if wanted.width > tile_width(wanted, queries.size()):
        raise Http404("The log has no such tile yet.")
    return _cached(HttpResponse(_content(wanted), content_type="application/octet-stream"), FOR_GOOD)


def _content(wanted: TilePath) -> bytes:
    if wanted.level is None:
        begin = wanted.index * TILE_WIDTH
        return entry_bundle(queries.entries(begin, begin + wanted.width))
    return queries.tile(wanted.level, wanted.index)[: wanted.width * HASH_BYTES]


def _cached(response: HttpResponse, how: str) -> HttpResponse:
    response.headers["Cache-Control"] = how
    return response
