"""The WSGI environment (PEP 3333) of a request, as ASGI describes it (https://asgi.readthedocs.io, HTTP scope)."""

import sys
from typing import Any

Environ = dict[str, Any]

_ALWAYS: Environ = {
    "SCRIPT_NAME": "",
    "SERVER_SOFTWARE": "granian",
    "wsgi.version": (1, 0),
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.errors": sys.stderr,
}
_UNPREFIXED = {b"content-type": "CONTENT_TYPE", b"content-length": "CONTENT_LENGTH"}


def environ_of(scope: dict[str, Any]) -> Environ:
    """The WSGI environment without `wsgi.input`.

    A field whose name holds an underscore is left out: as a variable it would have the name of the field with hyphens,
    which a proxy in front may guard. Repeated fields are joined as RFC 9110 (5.3) and RFC 6265 (5.4) specify.
    """
    server, client = scope.get("server") or ("", 0), scope.get("client") or ("", 0)
    environ = _ALWAYS | {
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "wsgi.url_scheme": scope["scheme"],
    }
    for name, raw in scope["headers"]:
        if b"_" in name:
            continue
        value = raw.decode("latin-1")
        variable = _UNPREFIXED.get(name) or "HTTP_" + name.decode("latin-1").upper().replace("-", "_")
        if variable in environ:
            value = f"{environ[variable]}{'; ' if name == b'cookie' else ','}{value}"
        environ[variable] = value
    return environ
