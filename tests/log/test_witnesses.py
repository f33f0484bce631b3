"""Requests to witnesses over HTTP: real ones, and servers that answer like broken or hostile ones."""

import contextlib
import logging
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from compliance.log.witnesses import FIRST_PAUSE, LONGEST_PAUSE, MOST_ANSWER_BYTES, Outcome, Witnesses
from compliance.proofs.cosignature import cosign, cosigned_times, parse_witness_key, witness_key
from compliance.proofs.signed_note import parse_note
from compliance.proofs.witness_request import parse_checkpoint_request
from tests.log.odd_witness import answering, hanging_up, saying
from tests.proofs.grown_log import GrownLog
from tests.proofs.running_witness import RunningWitness

LOG = GrownLog()
FORK = GrownLog(branch="fork", common=4)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
NAME, SEED = "odd.example/w", bytes(range(2, 34))
KEY = witness_key(NAME, SEED).line()
SIZE_TYPE = {"Content_Type": "text/x.tlog.size"}


@pytest.fixture
def witness(tmp_path):
    with RunningWitness(tmp_path / "witness", LOG.verifier_key) as running:
        yield running


@contextlib.contextmanager
def asking(*witnesses, seconds: float = 20.0):
    found = Witnesses(witnesses, seconds)
    try:
        yield found
    finally:
        found.close()


def ask(witnesses: Witnesses, size: int, now: datetime = NOW, log: GrownLog = LOG, note: str = ""):
    return witnesses.ask(note or log.note(size), size, log.proof, now)


def line(size: int, at: int = 1_700_000_000) -> str:
    return cosign(NAME, SEED, LOG.checkpoint(size).text(), at).line()


def outcome_of(behaviour, size: int = 9, seconds: float = 20.0) -> Outcome:
    with answering(behaviour) as (url, _), asking((KEY, url), seconds=seconds) as witnesses:
        (answer,) = ask(witnesses, size)
        return answer.outcome


def test_each_checkpoint_gets_a_cosignature_that_verifies(witness) -> None:
    with asking((witness.key, witness.url)) as witnesses:
        for size in (1, 4, 5, 70):
            (answer,) = ask(witnesses, size)
            assert answer.outcome is Outcome.COSIGNED
            assert cosigned_times(LOG.note(size) + answer.line, witness.key) == {
                answer.key: pytest.approx(time.time(), abs=600)
            }


def test_a_witness_that_has_cosigned_is_not_asked_again(witness) -> None:
    with asking((witness.key, witness.url)) as witnesses:
        (answer,) = ask(witnesses, 5)
        witness.stop()
        assert ask(witnesses, 5, note=LOG.note(5) + answer.line) == []


def test_a_signer_that_forgot_what_was_cosigned_goes_on_from_where_the_witness_is(witness) -> None:
    with asking((witness.key, witness.url)) as witnesses:
        assert ask(witnesses, 5)[0].outcome is Outcome.COSIGNED
    with asking((witness.key, witness.url)) as restarted:
        assert ask(restarted, 9)[0].outcome is Outcome.COSIGNED


def test_a_log_that_forked_or_went_back_gets_no_cosignature(witness, caplog) -> None:
    with asking((witness.key, witness.url)) as witnesses:
        assert ask(witnesses, 7)[0].outcome is Outcome.COSIGNED
        with caplog.at_level(logging.ERROR):
            assert [each.outcome for each in ask(witnesses, 9, log=FORK)] == [Outcome.INCONSISTENT]
        (record,) = caplog.records
        assert (record.message, record.outcome, record.witness) == (
            "witness_did_not_cosign", "inconsistent", parse_witness_key(witness.key).key_name,
        )  # fmt: skip
        assert [each.outcome for each in ask(witnesses, 7, LATER, FORK)] == [Outcome.INCONSISTENT]
        assert [each.outcome for each in ask(witnesses, 5, LATER + timedelta(days=1))] == [Outcome.AHEAD]
        assert ask(witnesses, 9, LATER + timedelta(days=2))[0].outcome is Outcome.COSIGNED


def test_one_that_fails_keeps_nothing_from_the_others(witness, tmp_path) -> None:
    with (
        RunningWitness(tmp_path / "other", LOG.verifier_key, name="other.example") as other,
        answering(saying(500)) as (broken, _),
        asking((KEY, broken), (other.key, other.url), (witness.key, witness.url)) as witnesses,
    ):
        answers = {answer.key.line(): answer for answer in ask(witnesses, 5)}
    assert {key: answer.outcome for key, answer in answers.items()} == {
        KEY: Outcome.REFUSED, other.key: Outcome.COSIGNED, witness.key: Outcome.COSIGNED,
    }  # fmt: skip
    note = LOG.note(5) + "".join(answer.line for answer in answers.values())
    assert len(cosigned_times(note, other.key, witness.key)) == 2


@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [
        (saying(200), Outcome.NONSENSE),
        (saying(200, "\n"), Outcome.NONSENSE),
        (saying(200, b"\xff\xfe"), Outcome.NONSENSE),
        (saying(200, "<html>It works!</html>"), Outcome.NONSENSE),
        (saying(200, line(8)), Outcome.NONSENSE),
        (saying(200, line(9)[:-1]), Outcome.NONSENSE),
        (saying(200, f"more text\n\n{line(9)}"), Outcome.NONSENSE),
        (saying(200, cosign(NAME, bytes(32), LOG.checkpoint(9).text(), 1).line()), Outcome.NONSENSE),
        (saying(200, line(9) + line(8)), Outcome.NONSENSE),
        (saying(200, line(9) + "x" * MOST_ANSWER_BYTES), Outcome.NONSENSE),
        (saying(204), Outcome.NONSENSE),
        (saying(302, Location="/add-checkpoint"), Outcome.NONSENSE),
        (saying(307, Location="/add-checkpoint"), Outcome.NONSENSE),
        (saying(409), Outcome.INCONSISTENT),
        (saying(409, "5\n"), Outcome.INCONSISTENT),
        (saying(409, "five\n", **SIZE_TYPE), Outcome.NONSENSE),
        (saying(409, "05\n", **SIZE_TYPE), Outcome.NONSENSE),
        (saying(409, "5", **SIZE_TYPE), Outcome.NONSENSE),
        (saying(409, "-1\n", **SIZE_TYPE), Outcome.NONSENSE),
        (saying(409, "9" * 5000 + "\n", **SIZE_TYPE), Outcome.NONSENSE),
        (saying(409, "0\n", **SIZE_TYPE), Outcome.NONSENSE),
        (saying(409, "5\n", **SIZE_TYPE), Outcome.NONSENSE),
        (saying(409, "10\n", **SIZE_TYPE), Outcome.AHEAD),
        (saying(422, "The proof does not hold."), Outcome.INCONSISTENT),
        (saying(400), Outcome.REFUSED),
        (saying(403), Outcome.REFUSED),
        (saying(404), Outcome.REFUSED),
        (saying(503), Outcome.REFUSED),
        (saying(200, "short", Content_Length="500"), Outcome.SLOW),
        (hanging_up(b""), Outcome.UNREACHABLE),
        (hanging_up(b"220 mail.example ESMTP\r\n"), Outcome.UNREACHABLE),
        (hanging_up(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nshort"), Outcome.UNREACHABLE),
    ],
)  # fmt: skip
def test_whatever_a_witness_answers_is_only_an_outcome(behaviour, outcome: Outcome) -> None:
    assert outcome_of(behaviour, seconds=1.5 if outcome is Outcome.SLOW else 20.0) is outcome


def test_only_the_line_of_the_witness_s_own_key_is_kept() -> None:
    stranger = cosign("stranger.example", bytes(32), LOG.checkpoint(9).text(), 1).line()
    with answering(saying(200, stranger + line(9) + stranger)) as (url, _), asking((KEY, url)) as witnesses:
        assert [(each.outcome, each.line) for each in ask(witnesses, 9)] == [(Outcome.COSIGNED, line(9))]


def test_a_witness_that_never_answers_or_drips_costs_the_seconds_that_were_set_once(tmp_path) -> None:
    over = threading.Event()

    def silent(handler, _):
        over.wait(60)

    def dripping(handler, _):
        with contextlib.suppress(OSError):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
            while not over.wait(0.05):
                handler.wfile.write(b"x")

    other = witness_key("dripping.example", bytes(32)).line()
    with (
        answering(silent) as (first, _),
        answering(dripping) as (second, _),
        asking((KEY, first), (other, second), seconds=1.0) as witnesses,
    ):
        started = time.monotonic()
        outcomes = [each.outcome for each in ask(witnesses, 5)]
        took = time.monotonic() - started
        assert ask(witnesses, 6) == []
        over.set()
    assert outcomes == [Outcome.SLOW, Outcome.SLOW]
    assert took < 30


def test_a_size_that_a_witness_says_is_where_the_proof_begins() -> None:
    def conflict_once(handler, body: bytes) -> None:
        if parse_checkpoint_request(body).old == 4:
            saying(200, line(9))(handler, body)
        else:
            saying(409, "4\n", **SIZE_TYPE)(handler, body)

    with answering(conflict_once) as (url, bodies), asking((KEY, url)) as witnesses:
        assert ask(witnesses, 9)[0].outcome is Outcome.COSIGNED
    first, second = map(parse_checkpoint_request, bodies)
    assert (first.old, first.proof) == (0, ())
    assert (second.old, list(second.proof)) == (4, LOG.proof(4, 9))
    assert parse_note(second.note).text == LOG.checkpoint(9).text()


def test_a_witness_that_fails_is_left_alone_longer_each_time() -> None:
    with answering(saying(500)) as (url, bodies), asking((KEY, url)) as witnesses:
        now, pause = NOW, FIRST_PAUSE
        for times in range(1, 9):
            assert ask(witnesses, 5, now)[0].outcome is Outcome.REFUSED
            assert ask(witnesses, 5, now + pause - timedelta(microseconds=1)) == []
            assert len(bodies) == times
            now, pause = now + pause, min(pause * 2, LONGEST_PAUSE)
        assert pause == LONGEST_PAUSE


def test_a_witness_that_is_not_there_is_unreachable(witness) -> None:
    witness.stop()
    with asking((witness.key, witness.url)) as witnesses:
        assert [each.outcome for each in ask(witnesses, 5)] == [Outcome.UNREACHABLE]


def test_a_published_cosignature_that_does_not_verify_counts_as_none() -> None:
    spoilt = LOG.note(9) + line(8)
    with answering(saying(200, line(9))) as (url, _), asking((KEY, url)) as witnesses:
        assert [each.outcome for each in ask(witnesses, 9, note=spoilt)] == [Outcome.COSIGNED]


def test_a_log_without_witnesses_asks_nobody() -> None:
    with asking() as witnesses:
        assert ask(witnesses, 5) == []
