"""The verifier of packs, run from the repository: it reads them and gives the exit status, as its single file does."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "vectors" / "log"
PACK = VECTORS / "pack.zip"
KEY = json.loads((VECTORS / "proof_keys.json").read_text())["log_key"]


def test_a_pack_is_read_and_the_exit_status_tells_what_was_found(tmp_path):
    status, found = _verify(PACK, "--log-key", KEY)
    assert status == 0, found
    assert "holds  training-records: 15 rows" in found
    assert _verify(PACK)[0] == 2  # without the log's key no signature is checked
    broken = tmp_path / "broken.zip"
    broken.write_bytes(PACK.read_bytes().replace(b"training-records.jsonl", b"training-recordz.jsonl"))
    assert _verify(broken, "--log-key", KEY)[0] == 1


def test_a_disk_without_room_is_no_fault_of_the_pack():
    """What is compared across a large pack is in temporary files."""
    program = (
        "import resource, sys; from compliance.proofs import partitions, verify; partitions._IN_MEMORY = 16;"
        " resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); sys.exit(verify.main(sys.argv[1:]))"
    )
    name = str(PACK.relative_to(ROOT))  # in ASCII: other names are printed escaped
    command = [sys.executable, "-c", program, name, "--log-key", KEY]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"{name} cannot be verified here: ")
    assert ran.stderr.count("\n") == 1


def _verify(*arguments) -> tuple[int, str]:
    command = [sys.executable, "-m", "compliance.proofs.verify", *map(str, arguments)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    return ran.returncode, ran.stdout + ran.stderr
