"""Verify without the service: `python -m compliance.proofs FILE... [--log-key LINE]`, or `python -I -S FOLDER FILE...`.

Each FILE is one JSON page of `/v1/policies` or `/v1/acknowledgements` as it was received, in the order pulled, or a
proof of one row (`svc.proof/1`). Says in plain words what holds, what was not checked, and each thing that does not.

Exit status: 0 all that could be checked holds; 1 something does not; 2 a file is neither, a proof was given without
the log's key, or the arguments are wrong.
"""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def package_name() -> str:
    """Return the name under which this folder is importable, loading it when it was run copied out alone."""
    if __package__:
        return __package__
    name = "compliance_proofs"
    folder = Path(__file__).resolve().parent
    spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return name


def main(arguments: "Sequence[str]") -> int:
    """Verify the files named and print the findings; return the exit status."""
    run = import_module(f"{package_name()}.command").run
    status: int = run(arguments, sys.stdout, sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
