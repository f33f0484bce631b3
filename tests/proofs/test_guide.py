"""The commands of docs/verify.md do what the page states, on a genuine proof and on forged ones."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.proofs import second_story
from tests.proofs.second_story import checkpoint_over
from tests.vectors.log import write

GUIDE = (Path(__file__).resolve().parents[2] / "docs/verify.md").read_text(encoding="utf-8")
BLOCKS = [block.split("```")[0] for block in GUIDE.split("```python\n")[1:]]
TREES, LOG, PROOF = BLOCKS[1:4]
OPENSSL = next(block for block in GUIDE.split("```\n") if block.startswith("openssl "))


def run(code: str, *arguments: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-c", code, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def by_hand(proof: object, folder: Path) -> bool:
    """Whether a proof is valid by the guide's code and its OpenSSL command."""
    (folder / "proof.json").write_text(json.dumps(proof), encoding="utf-8")
    if run(f"{TREES}\n{PROOF}", "proof.json", second_story.LOG_KEY.line, folder=folder).returncode:
        return False
    return subprocess.run(OPENSSL, shell=True, cwd=folder, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("sequence", [1, 5, 37])
def test_a_genuine_proof_holds_by_hand(sequence: int, tmp_path: Path) -> None:
    assert by_hand(json.loads(second_story.story().proof(sequence)), tmp_path)


@pytest.mark.parametrize(
    "what",
    ["another text", "another place", "a path with another hash", "another line of the capture", "another name",
     "another size signed", "the checkpoint of a fork"],
)  # fmt: skip
def test_a_forged_proof_does_not_hold_by_hand(what: str, tmp_path: Path) -> None:
    forged = next(each for each in json.loads(write.files()["forged_proofs.json"]) if each["what"] == what)
    assert not by_hand(forged["proof"], tmp_path)


def test_a_signature_of_another_key_does_not_hold_by_hand(tmp_path: Path) -> None:
    story = second_story.story()
    impostor = second_story.key_of("impostor")._replace(name=second_story.ORIGIN)
    proof = json.loads(story.proof(5))
    proof["log"]["checkpoint"] = checkpoint_over(story.entries, key=impostor)
    assert not by_hand(proof, tmp_path)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A log of 300 entries, served as files in the layout of C2SP tlog-tiles."""
    entries = [number.to_bytes(32, "big") for number in range(300)]
    bundle = b"".join(b"\x00\x20" + entry for entry in entries)
    folder = tmp_path / "log" / "tile" / "entries"
    (folder / "001.p").mkdir(parents=True)
    (folder / "000").write_bytes(bundle[: 256 * 34])
    (folder / "001.p" / "44").write_bytes(bundle[256 * 34 :])
    (tmp_path / "log" / "checkpoint").write_text(checkpoint_over(entries), encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/log", folder
    server.shutdown()
    thread.join()
    server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


def test_all_entries_of_a_log_make_its_root_by_hand(served: tuple[str, Path], tmp_path: Path) -> None:
    address, folder = served
    done = run(f"{TREES}\n{LOG}", folder=tmp_path, LOG=address)
    assert done.returncode == 0, done.stderr
    assert "300 entries make the root" in done.stdout
    (folder / "000").write_bytes((folder / "000").read_bytes().replace(b"\x07", b"\x08"))
    assert "the entries do not make the root" in run(f"{TREES}\n{LOG}", folder=tmp_path, LOG=address).stderr
