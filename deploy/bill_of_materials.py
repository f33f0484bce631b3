"""A CycloneDX bill of materials of what is pinned: `bill_of_materials.py REQUIREMENTS OUTPUT`; needs no network."""

import re
import sys
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def main() -> int:
    """Writes the bill of materials, and prints how many packages it has."""
    requirements, output = Path(sys.argv[1]), Path(sys.argv[2])
    bom = Bom()
    bom.metadata.component = Component(name="compliance-records", type=ComponentType.APPLICATION)
    for block in re.split(r"\n(?=[A-Za-z0-9])", requirements.read_text()):
        pin = _PIN.match(block)
        if pin is not None:
            name, version = pin[1].lower().replace("_", "-"), pin[2]
            bom.components.add(
                Component(
                    name=name,
                    version=version,
                    type=ComponentType.LIBRARY,
                    purl=PackageURL("pypi", None, name, version),
                    hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in _HASH.findall(block)],
                )
            )
    output.write_text(JsonV1Dot6(bom).output_as_string(indent=1))
    sys.stdout.write(f"{len(bom.components)} packages in {output}\n")
    return 0 if bom.components else 1


if __name__ == "__main__":
    sys.exit(main())
