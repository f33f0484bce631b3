"""A witness over HTTP, as a process of its own: what it cosigns, what it refuses, and what it never forgets."""

import base64
import hashlib
import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from compliance.proofs.cosignature import cosigned_times, parse_witness_key
from compliance.proofs.log import LogCheckpoint, parse_log_checkpoint
from compliance.proofs.merkle import EMPTY_ROOT
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.signed_note import MOST_SIGNATURES, VerifierKey, parse_note, verified_text
from compliance.proofs.single_file import single_file
from compliance.proofs.witness_memory import WitnessMemory
from compliance.proofs.witness_request import MOST_BODY_BYTES, CheckpointRequest
from tests.proofs.grown_log import ORIGIN, GrownLog
from tests.proofs.running_witness import MODULE, NAME, RunningWitness

LOG = GrownLog()
FORK = GrownLog(branch="fork", common=4)
ADDRESS = f"/{hashlib.sha256(ORIGIN.encode()).hexdigest()}/checkpoint"


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "witness"


@pytest.fixture
def witness(folder):
    with RunningWitness(folder, LOG.verifier_key) as running:
        yield running


def test_requests_of_another_implementation_get_its_answers(folder) -> None:
    vectors = json.loads((Path(__file__).parents[1] / "vectors" / "log" / "add-checkpoint.json").read_text())
    key = VerifierKey(vectors["origin"], bytes.fromhex(vectors["public_key"]))
    with RunningWitness(folder, key.line()) as running:
        for request in vectors["requests"]:
            status, body = running.add(request["body"].encode())
            assert (request["name"], status) == (request["name"], request["status"])
            assert body == request.get("answer", body)


def test_the_first_start_makes_a_key_that_every_start_prints(folder) -> None:
    with RunningWitness(folder, LOG.verifier_key) as running:
        first = running.key
        assert parse_witness_key(first).key_name == NAME
        assert running.stop() == 0
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with RunningWitness(folder, LOG.verifier_key) as running:
        assert running.key == first


def test_checkpoints_that_continue_the_last_one_are_cosigned_and_served(witness) -> None:
    assert witness.ask("GET", ADDRESS)[0] == 404
    size = 0
    for larger in (0, 1, 2, 3, 7, 8, 8, 64, 300):
        witness.cosigns(LOG.request(size, larger))
        status, note, content_type = witness.ask("GET", ADDRESS)
        assert (status, content_type) == (200, "text/plain; charset=utf-8")
        assert verified_text(note, LOG.verifier_key) == LOG.checkpoint(larger).text()
        assert list(cosigned_times(note, witness.key)) == [parse_witness_key(witness.key)]
        size = larger


def test_a_cosignature_states_the_time_at_which_it_was_made(witness) -> None:
    before = int(time.time())
    request = LOG.request(0, 5)
    line = witness.add(request)[1]
    assert before <= cosigned_times(request.note + line, witness.key)[parse_witness_key(witness.key)] <= time.time()


def test_another_size_than_the_last_one_is_a_conflict_that_says_the_size(witness) -> None:
    conflict = witness.ask("POST", "/add-checkpoint", LOG.request(3, 5).body())
    assert conflict == (409, "0\n", "text/x.tlog.size")
    witness.cosigns(LOG.request(0, 5))
    for old, size in ((0, 9), (4, 9), (6, 9), (0, 5), (0, 3), (3, 4)):
        assert witness.ask("POST", "/add-checkpoint", LOG.request(old, size).body()) == (
            409,
            "5\n",
            "text/x.tlog.size",
        )
    witness.cosigns(LOG.request(5, 9))


def test_a_proof_that_does_not_hold_is_refused(witness) -> None:
    witness.cosigns(LOG.request(0, 5))
    right = LOG.request(5, 9)
    wrong = [
        right._replace(proof=()),
        right._replace(proof=right.proof[:-1]),
        right._replace(proof=(*right.proof, right.proof[0])),
        right._replace(proof=right.proof[::-1]),
        right._replace(proof=(bytes(32), *right.proof[1:])),
        LOG.request(5, 5)._replace(proof=right.proof),
        FORK.request(5, 9),
    ]
    for request in wrong:
        assert witness.add(request)[0] == 422
    witness.cosigns(right)


def test_the_first_checkpoint_comes_without_a_proof_and_an_empty_one_with_the_empty_root(witness) -> None:
    first = LOG.request(0, 5)
    assert witness.add(first._replace(proof=(bytes(32),)))[0] == 422
    wrong = LOG.signer.sign(LogCheckpoint(ORIGIN, 0, bytes(32)).text())
    assert witness.add(CheckpointRequest(0, (), wrong))[0] == 422
    assert LOG.checkpoint(0).root == EMPTY_ROOT
    witness.cosigns(LOG.request(0, 0))
    witness.cosigns(first)


def test_a_log_that_shows_two_histories_is_refused_and_the_evidence_is_kept(witness, folder) -> None:
    witness.cosigns(LOG.request(0, 7))
    assert witness.add(FORK.request(7, 7))[0] == 422
    assert witness.add(FORK.request(7, 9))[0] == 422
    assert witness.add(FORK.request(3, 7)) == (409, "7\n")
    (evidence,) = folder.glob("fork-*.txt")
    kept = evidence.read_text()
    assert all(note in kept for note in (LOG.note(7), FORK.note(7)))
    assert witness.ask("GET", ADDRESS)[1].startswith(LOG.checkpoint(7).text())
    witness.cosigns(LOG.request(7, 9))


def test_only_a_trusted_key_of_the_log_counts(witness) -> None:
    right = LOG.request(0, 5)
    stranger = GrownLog(seed=bytes(32))
    renamed = NoteSigner.from_seed("records.example/other", bytes(range(32))).sign(LOG.checkpoint(5).text())
    spoilt = re.sub(r" (\S{8})\S{8}", r" \1AAAAAAAA", right.note.splitlines()[-1])
    assert witness.add(stranger.request(0, 5))[0] == 403
    assert witness.add(right._replace(note=renamed))[0] == 403
    assert witness.add(right._replace(note=right.note.replace(right.note.splitlines()[-1], spoilt)))[0] == 403
    assert witness.add(right._replace(note=right.note.replace("\n5\n", "\n6\n")))[0] == 403
    assert witness.add(GrownLog("records.example/unknown").request(0, 5))[0] == 404
    both = right._replace(note=right.note + stranger.note(5).splitlines(keepends=True)[-1])
    witness.cosigns(both)
    assert "\n".join(witness.ask("GET", ADDRESS)[1].splitlines()[:5]) == right.note.rstrip("\n")


def repeated(note: str) -> str:
    """The note with its signature line as often as a note may have lines."""
    return note + note.splitlines(keepends=True)[-1] * (MOST_SIGNATURES - 1)


def test_a_signature_that_is_repeated_is_kept_once_and_stops_nothing(witness) -> None:
    status, line = witness.add(LOG.request(0, 5)._replace(note=repeated(LOG.note(5))))
    assert status == 200
    assert set(cosigned_times(LOG.note(5) + line, witness.key)) == {parse_witness_key(witness.key)}
    status, note, _ = witness.ask("GET", ADDRESS)
    assert (status, len(parse_note(note).signatures)) == (200, 2)
    assert verified_text(note, LOG.verifier_key) == LOG.checkpoint(5).text()
    assert list(cosigned_times(note, witness.key)) == [parse_witness_key(witness.key)]
    witness.cosigns(LOG.request(5, 9))


def test_a_note_that_was_kept_with_more_lines_than_readers_take_is_served_and_continued(folder) -> None:
    with RunningWitness(folder, LOG.verifier_key) as running:
        line = running.add(LOG.request(0, 5))[1]
    with closing(sqlite3.connect(folder / "cosigned.sqlite3")) as memory, memory:
        memory.execute("UPDATE cosigned SET note = ?", (repeated(LOG.note(5)) + line,))
    with RunningWitness(folder, LOG.verifier_key) as running:
        assert running.ask("GET", ADDRESS)[:2] == (200, LOG.note(5) + line)
        assert running.add(FORK.request(5, 9))[0] == 422
        running.cosigns(LOG.request(5, 9))


def test_a_log_may_have_several_keys_and_a_witness_several_logs(folder) -> None:
    second = GrownLog(seed=bytes([7]) * 32)
    other = GrownLog("other.example/log")
    with RunningWitness(folder, LOG.verifier_key, second.verifier_key, other.verifier_key) as witness:
        witness.cosigns(LOG.request(0, 5))
        witness.cosigns(second.request(5, 9))
        witness.cosigns(other.request(0, 3))
        assert witness.ask("GET", ADDRESS)[1].startswith(second.note(9))


NOTE = LOG.note(5)
HASH = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n",
        b"old 0\n",
        b"old 0\n\n",
        f"old 0\n{NOTE}".encode(),
        f"\n{NOTE}".encode(),
        f"old\n\n{NOTE}".encode(),
        f"old -1\n\n{NOTE}".encode(),
        f"old 00\n\n{NOTE}".encode(),
        f"old 0 \n\n{NOTE}".encode(),
        f"old  0\n\n{NOTE}".encode(),
        f"Old 0\n\n{NOTE}".encode(),
        f"old ٣\n\n{NOTE}".encode(),
        f"old 0\r\n\r\n{NOTE}".encode(),
        f"old {10**30}\n\n{NOTE}".encode(),
        f"old 6\n\n{NOTE}".encode(),
        f"old 0\nAAAA\n\n{NOTE}".encode(),
        f"old 0\n{HASH[:-2]}B=\n\n{NOTE}".encode(),
        f"old 0\n {HASH}\n\n{NOTE}".encode(),
        f"old 0\n{HASH}=\n\n{NOTE}".encode(),
        "\n".join(["old 1", *[HASH] * 64, "", NOTE]).encode(),
        f"old 0\n\n{NOTE.rstrip()}".encode(),
        f"old 0\n\n{NOTE.partition(chr(10) * 2)[0]}\n".encode(),
        f"old 0\n\n{NOTE}".encode().replace(b"\xe2\x80\x94", b"\xff"),
        f"old 0\n\n{NOTE}".replace("\n5\n", "\nfive\n").encode(),
        f"old 0\n\n{NOTE}".replace("\n5\n", "\n05\n").encode(),
        f"old 0\n\n{NOTE}\n".encode(),
    ],
)
def test_what_does_not_have_the_form_is_a_bad_request(shared_witness, body: bytes) -> None:
    status, text = shared_witness.add(body)
    assert status == 400
    assert text.endswith(".\n")


@pytest.fixture(scope="module")
def shared_witness(tmp_path_factory):
    with RunningWitness(tmp_path_factory.mktemp("shared") / "witness", LOG.verifier_key) as running:
        yield running


def test_other_addresses_methods_and_lengths_are_refused(shared_witness) -> None:
    witness = shared_witness
    assert witness.ask("GET", "/")[0] == 404
    assert witness.ask("GET", "/checkpoint")[0] == 404
    assert witness.ask("GET", f"/{'0' * 64}/checkpoint")[0] == 404
    assert witness.ask("GET", f"/../{ADDRESS}")[0] == 404
    assert witness.ask("GET", "/add-checkpoint")[0] == 405
    assert witness.ask("POST", ADDRESS, b"")[0] == 404
    assert witness.ask("DELETE", ADDRESS)[0] == 501
    assert witness.ask("POST", "/add-checkpoint", bytes(MOST_BODY_BYTES))[0] == 400
    assert witness.ask("POST", "/add-checkpoint", b"", **{"Content-Length": str(MOST_BODY_BYTES + 1)})[0] == 413
    assert witness.ask("POST", "/add-checkpoint", b"", **{"Content-Length": "9" * 5000})[0] == 413
    assert witness.ask("POST", "/add-checkpoint", b"", **{"Content-Length": "-1"})[0] == 400
    assert witness.ask("POST", "/add-checkpoint", b"", **{"Transfer-Encoding": "chunked"})[0] == 411


def test_one_connection_serves_many_requests(witness) -> None:
    connection = HTTPConnection("127.0.0.1", witness.port, timeout=60)
    statuses = []
    for size in range(1, 6):
        connection.request("POST", "/add-checkpoint", LOG.request(size - 1, size).body())
        if size == 1:
            own = connection.sock
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    assert statuses == [200] * 5
    assert connection.sock is own
    connection.close()


def test_a_restart_keeps_what_was_cosigned(folder) -> None:
    with RunningWitness(folder, LOG.verifier_key) as running:
        running.cosigns(LOG.request(0, 5))
        running.kill()
    with RunningWitness(folder, LOG.verifier_key) as running:
        assert running.add(FORK.request(0, 5)) == (409, "5\n")
        assert running.add(FORK.request(5, 9))[0] == 422
        running.cosigns(LOG.request(5, 9))


def test_of_two_histories_at_once_one_is_cosigned(witness) -> None:
    with ThreadPoolExecutor(8) as threads:
        logs = [LOG, FORK] * 8
        statuses = list(threads.map(lambda log: witness.add(log.request(0, 7))[0], logs))
    cosigned = {log for log, status in zip(logs, statuses, strict=True) if status == 200}
    assert len(cosigned) == 1
    assert set(statuses) == {200, 409}


def test_an_older_request_that_arrives_late_takes_nothing_back(witness) -> None:
    sizes = list(range(1, 25))
    with ThreadPoolExecutor(6) as threads:
        statuses = list(threads.map(lambda size: witness.add(LOG.request(0, size))[0], sizes))
    assert statuses.count(200) == 1
    reached = sizes[statuses.index(200)]
    assert witness.ask("GET", ADDRESS)[1].startswith(LOG.checkpoint(reached).text())
    with ThreadPoolExecutor(6) as threads:
        later = list(threads.map(lambda size: (size, witness.add(LOG.request(reached, size))[0]), range(25, 49)))
    assert [status for _, status in later].count(200) == 1


def test_a_kill_at_any_moment_never_lets_two_roots_of_one_size_be_cosigned(folder) -> None:
    origins = [f"records.example/log{number}" for number in range(24)]
    histories = [[GrownLog(origin, branch=branch) for branch in ("", "fork")] for origin in origins]
    keys = [pair[0].verifier_key for pair in histories]
    cosigned: dict[str, set[bytes]] = {origin: set() for origin in origins}

    def try_both(witness: RunningWitness, number: int) -> None:
        pair = histories[number % len(histories)]
        for log in pair if number % 2 else reversed(pair):
            request = log.request(0, 3)
            try:
                status, line = witness.add(request)
            except (OSError, HTTPException):
                return
            if status == 200:
                assert cosigned_times(request.note + line, witness.key)
                cosigned[log.origin].add(log.checkpoint(3).root)

    for kill_after in (1, 3, 9, 17, None):
        witness = RunningWitness(folder, *keys)
        with ThreadPoolExecutor(4) as threads:
            answered = [threads.submit(try_both, witness, number) for number in range(len(histories))]
            if kill_after is not None:
                answered[kill_after].result()
                witness.kill()
            for each in answered:
                each.result()
        if kill_after is None:
            kept = {origin: parse_log_checkpoint(parse_note(_latest(witness, origin)).text).root for origin in origins}
            witness.stop()
    assert all(roots <= {kept[origin]} for origin, roots in cosigned.items())
    assert sum(map(len, cosigned.values())) > 0


def _latest(witness: RunningWitness, origin: str) -> str:
    return witness.ask("GET", f"/{hashlib.sha256(origin.encode()).hexdigest()}/checkpoint")[1]


def test_two_processes_of_one_folder_are_one_witness(folder) -> None:
    with RunningWitness(folder, LOG.verifier_key) as one, RunningWitness(folder, LOG.verifier_key) as other:
        assert one.key == other.key
        one.cosigns(LOG.request(0, 5))
        assert other.add(FORK.request(0, 5)) == (409, "5\n")
        other.cosigns(LOG.request(5, 9))
        assert one.add(FORK.request(5, 9)) == (409, "9\n")


def refusal(*arguments: str) -> str:
    """Start a witness that refuses to run; return what it prints."""
    command = [sys.executable, *MODULE, "--name", NAME, "--port", "0", *arguments]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert "Traceback" not in found.stderr
    return found.stderr


def test_a_folder_that_lost_its_memory_or_its_key_is_refused(folder) -> None:
    with RunningWitness(folder, LOG.verifier_key) as running:
        running.cosigns(LOG.request(0, 5))
    arguments = ("--folder", str(folder), "--log-key", LOG.verifier_key)
    assert "is not one of the witness" in refusal(*arguments, "--name", "other.example")
    kept = (folder / "key").read_text()
    (folder / "key").write_text("")
    assert "is not one of the witness" in refusal(*arguments)
    (folder / "key").unlink()
    assert "key of" in refusal(*arguments)
    (folder / "key").write_text(kept)
    memory = (folder / "cosigned.sqlite3").read_bytes()
    (folder / "cosigned.sqlite3").write_bytes(b"")
    assert "has a key but not what was cosigned with it" in refusal(*arguments)
    (folder / "cosigned.sqlite3").write_bytes(os.urandom(len(memory)))
    assert "not a database" in refusal(*arguments)
    (folder / "cosigned.sqlite3").unlink()
    assert "has a key but not what was cosigned with it" in refusal(*arguments)
    (folder / "cosigned.sqlite3").write_bytes(memory)
    with RunningWitness(folder, LOG.verifier_key) as running:
        assert running.add(LOG.request(0, 5)) == (409, "5\n")


def test_wrong_arguments_are_refused_with_a_sentence(folder, tmp_path) -> None:
    arguments = ("--folder", str(folder), "--log-key")
    assert "verifier key" in refusal(*arguments, "not a key")
    assert "key name" in refusal(*arguments, LOG.verifier_key, "--name", "two words")
    assert "--log-key" in refusal("--folder", str(folder))
    (tmp_path / "file").write_text("")
    assert "file" in refusal("--folder", str(tmp_path / "file"), "--log-key", LOG.verifier_key)
    own = WitnessMemory(tmp_path / "own", NAME)
    log_key = NoteSigner.from_seed(ORIGIN, own.seed).verifier_key
    assert "own key" in refusal("--folder", str(tmp_path / "own"), "--log-key", log_key)


def test_the_witness_runs_as_one_file_without_anything_else(folder, tmp_path) -> None:
    program = tmp_path / "witness.py"
    program.write_text(single_file("witness"), encoding="utf-8")
    with RunningWitness(folder, LOG.verifier_key, program=["-I", "-S", "-W", "error", str(program)]) as running:
        running.cosigns(LOG.request(0, 5))
        assert running.add(FORK.request(5, 9))[0] == 422
        assert running.stop() == 0
