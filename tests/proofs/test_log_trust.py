"""What the verifier says of a log and its witnesses is plain text, whatever their names hold."""

import base64
import io
import json
import zipfile

from compliance.proofs.cosignature import cosign, witness_key
from compliance.proofs.findings import Report
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.log_trust import check_signed_checkpoint, log_trust
from compliance.proofs.merkle import leaf_hash
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.pack_archive import Archive
from compliance.proofs.pack_captures import LOG, MANIFEST, Pin, check_log, check_manifest, manifest_text
from compliance.proofs.signed_note import parse_note

ORIGIN, WITNESS = "records.example/\u009b31mlog", "witness.example/\u00e9"
SEED = bytes(range(32))
PIN = Pin("0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11", 1, 1, "ab" * 32)
LOG_OF_ONE = LogCheckpoint(ORIGIN, 1, leaf_hash(bytes.fromhex(PIN.chain_hash)))
SIGNER = NoteSigner.from_seed(ORIGIN, SEED)
TRUST = log_trust(SIGNER.verifier_key, [witness_key(WITNESS, SEED).line()])


def note(time: int = 1) -> str:
    """The checkpoint of the log, cosigned."""
    signed = SIGNER.sign(LOG_OF_ONE.text())
    return signed + cosign(WITNESS, SEED, parse_note(signed).text, time).line()


def sentences(report: Report) -> str:
    """All that is printed of a report, which must be printable ASCII."""
    found = "\n".join([*report.holding, *map(str, report.faults)])
    assert found.isascii()
    assert found.replace("\n", "").isprintable()
    return found


def packed(**files: str) -> Archive:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return Archive(output, "pack.zip")


def test_names_in_a_checkpoint_that_holds() -> None:
    report = Report()
    assert check_signed_checkpoint("log.json", note(), TRUST, report) == LOG_OF_ONE
    assert report.faults == []
    assert "records.example/\\x9b31mlog" in sentences(report)
    assert "cosigned by witness.example/\\xe9" in sentences(report)


def test_names_in_a_checkpoint_of_another_log() -> None:
    report = Report()
    other = log_trust(NoteSigner.from_seed("other.example/\u00e9", SEED).verifier_key)
    check_signed_checkpoint("log.json", note(), other, report)
    assert "of the log records.example/\\x9b31mlog, and the key given is of other.example/\\xe9" in sentences(report)


def test_the_name_of_a_witness_whose_cosignature_is_not_valid() -> None:
    report = Report()
    line = note().splitlines()[-1]
    spoilt = base64.b64encode(base64.b64decode(line.split(" ")[2])[:-1] + b"\0").decode()
    check_signed_checkpoint("log.json", note().replace(line.split(" ")[2], spoilt), TRUST, report)
    assert "The cosignature of witness.example/\\xe9 is not valid." in sentences(report)


def test_names_in_a_pack() -> None:
    report = Report()
    place = json.dumps({"size": 1, "index": 0, "path": [], "checkpoint": note()})
    assert check_log(packed(log_json=place), PIN, TRUST, report) == LOG_OF_ONE
    manifest = NoteSigner.from_seed(f"{ORIGIN}/evidence", SEED).sign(
        manifest_text(PIN.organization_id, PIN.chain_hash, "sums\n")
    )
    check_manifest(packed(manifest_txt=manifest), PIN, b"sums\n", TRUST, report)
    assert report.faults == []
    assert "is entry 0 of the log records.example/\\x9b31mlog" in sentences(report)
    assert (LOG, MANIFEST) == ("log.json", "manifest.txt")
