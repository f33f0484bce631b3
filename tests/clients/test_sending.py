"""The sender of facts against a real server: killed, cut off, given bad lines, it records what an import would.

SEND_KILLS: how often it is killed (20 in full).
"""

import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clients import send_facts
from compliance.facts.importing import import_facts
from compliance.facts.people import queries
from compliance.history import actions
from compliance.tenancy import context
from tests.companies import make_company
from tests.facts.files import completed, course, fact, file_of, joined, moment, shared, team
from tests.history import reading

PROGRAM = Path(send_facts.__file__)
KILLS = int(os.environ.get("SEND_KILLS", "4"))
PEOPLE = 60
AT = datetime(2025, 6, 1, tzinfo=UTC)


def facts():
    """Teams, people and courses and what people did, in no order: most lines refer to others further down."""
    told = [team(f"team {number}") for number in range(3)]
    told += [joined(f"person-{number}", 1) for number in range(PEOPLE)]
    for name in ("fire", "data"):
        told += [*course(name), shared(name, 2)]
        told += [completed(f"person-{number}", name, 5 + number) for number in range(0, PEOPLE, 2)]
    told += [
        fact("team_joined", f"{number}", 2, team_id=f"team team {number % 3}", learner_profile_id=f"person-{number}")
        for number in range(0, PEOPLE, 3)
    ]
    random.Random(5).shuffle(told)
    return told


STORY = file_of(facts()).getvalue()
LINES = STORY.count(b"\n")


def start(url, target, *arguments, **options):
    command = [sys.executable, "-I", "-S", "-W", "error", str(PROGRAM), "--url", url, *map(str, arguments)]
    environment = os.environ | {"SVC_SOURCE_TOKEN": target.token}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(command, env=environment, **pipes)


def run(url, target, *arguments, given=b""):
    """Its output as JSON, its messages, and its exit status."""
    process = start(url, target, "--json", *arguments)
    printed, said = process.communicate(given, timeout=120)
    return json.loads(printed) if printed else None, said.decode(), process.returncode


def registers(organization_id):
    """Every register at some moments, without identifiers that depend on the company."""
    actions.capture_all(organization_id, datetime.now(UTC))
    found = {}
    for register in sorted({row.register for row in reading.rows(organization_id)}):
        for days in (0, 20, 200):
            content = reading.at(organization_id, register, AT + timedelta(days=days))
            texts = [json.dumps(each, sort_keys=True) for each in content.values()]
            found[register, days] = sorted(_MADE.sub(_as_told, text) for text in texts)
    return found


_MADE = re.compile(r'"[0-9a-f]{8}-[0-9a-f-]{27}"')


def _as_told(found):
    return found[0] if found[0].encode() in STORY else '"made"'


@pytest.fixture(scope="module")
def by_file():
    """The registers after the same facts were imported from a file: made once, in `expected`."""
    return {}


@pytest.fixture
def expected(committed, by_file):
    if not by_file:
        organization_id = make_company().organization_id
        report = import_facts(organization_id=organization_id, stream=file_of(facts()), now=datetime.now(UTC))
        assert (report.recorded, report.errors) == (LINES, [])
        by_file.update(registers(organization_id))
        assert sum(map(len, by_file.values())) > 400
    return by_file


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "facts.jsonl"
    path.write_bytes(STORY)
    return path


def sent(folder):
    """How much of the input is answered for, by the state file."""
    try:
        return json.loads((folder / "state.json").read_bytes())["bytes"]
    except (OSError, ValueError):
        return 0


def until_more_is_sent(process, folder, than):
    while process.poll() is None and sent(folder) <= than:
        time.sleep(0.001)


def test_whatever_the_order_and_the_cut_the_registers_are_those_of_the_file(server, target_of, file, expected):
    for lines in (7, 1000):
        target = target_of()
        said, _, status = run(server.url, target, file, "--lines", lines)
        assert (status, said["recorded"], said["known"], said["refused"]) == (0, LINES, 0, 0)
        assert registers(target.organization_id) == expected
    again, _, status = run(server.url, target, file, "--compress", "none")
    assert (status, again["recorded"], again["known"]) == (0, 0, LINES)
    assert registers(target.organization_id) == expected
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("piped", [False, True], ids=["file", "pipe"])
def test_killed_again_and_again_it_goes_on_where_it_was(server, target_of, file, expected, piped):
    target, chance = target_of(), random.Random(3)
    folder = file.parent / "kept" if piped else file.with_name("facts.jsonl.sending")
    arguments = ["--lines", 4, *(["-", "--state", folder] if piped else [file])]
    kills = 0
    for _ in range(KILLS):
        before = sent(folder)
        with start(server.url, target, *arguments) as process:
            if piped:
                feeding = threading.Thread(target=_feed, args=(process.stdin, STORY))
                feeding.start()
            until_more_is_sent(process, folder, before)
            time.sleep(chance.random() / 30)
            kills += process.poll() is None
            process.kill()
            if piped:
                feeding.join()
    assert kills == KILLS
    said, told, status = run(server.url, target, *arguments, given=STORY)
    assert status == 0, told
    assert "Going on behind line" in told
    assert (said["lines"], said["recorded"] + said["known"]) == (LINES, LINES)
    assert registers(target.organization_id) == expected
    assert list(file.parent.iterdir()) == [file]


def _feed(pipe, content):
    try:
        pipe.write(content)
        pipe.close()
    except OSError:
        pass


def test_the_server_may_be_killed_and_come_back(server, target_of, file, expected):
    target, folder = target_of(), file.with_name("facts.jsonl.sending")
    with start(server.url, target, "--lines", 4, "--json", file) as process:
        until_more_is_sent(process, folder, 0)
        server.kill()
        server.start()
        printed, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert b"Trying again" in said
    assert json.loads(printed)["lines"] == LINES
    assert registers(target.organization_id) == expected


def test_a_network_that_cuts_off_posts_and_answers_loses_and_doubles_nothing(
    server, network, target_of, file, expected
):
    target = target_of()
    failing = network("pass", "cut", "pass", "lose", "cut", "pass", "lose", "lose", "lose")
    said, told, status = run(failing.url, target, file, "--lines", 40)
    assert status == 0, told
    assert failing.met[:9] == ["pass", "cut", "pass", "lose", "cut", "pass", "lose", "lose", "lose"]
    assert said["known"] > 0, "what was recorded and not answered is known the second time"
    assert (said["lines"], said["recorded"] + said["known"]) == (LINES, LINES)
    assert registers(target.organization_id) == expected


@pytest.mark.parametrize("strict", [False, True])
def test_an_answer_that_is_cut_off_is_no_answer(network, target_of, tmp_path, strict):
    file = tmp_path / "facts.jsonl"
    good = file_of([joined("anna"), joined("ben")]).getvalue()
    file.write_bytes(good + b"nonsense\n" * strict)
    failing = network("half")
    said, told, status = run(failing.url, target_of(), file, *["--strict"] * strict)
    assert failing.met == ["half", "pass"]
    if strict:
        assert (status, "line 3: invalid_json" in told) == (1, True), told
    else:
        assert (status, said["known"]) == (0, 2), told


def test_small_posts_stay_whole_while_nothing_listens(network, target_of, tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_bytes(file_of([joined(f"person-{number}") for number in range(4)]).getvalue())
    failing = network("away")
    said, told, status = run(failing.url, target_of(), file)
    assert (status, said["recorded"]) == (0, 4), told
    assert failing.met == ["away", "back", "pass"]


def test_posts_that_are_too_large_for_a_proxy_are_cut_until_they_pass(network, target_of, file, expected):
    target = target_of()
    narrow = network(limit_bytes=2500)
    said, told, status = run(narrow.url, target, file, "--compress", "none")
    assert (status, said["recorded"]) == (0, LINES), told
    assert registers(target.organization_id) == expected
    too_narrow = network(limit_bytes=100)
    said, _, status = run(too_narrow.url, target_of(), file, "--compress", "none")
    assert (status, said["refused"], said["recorded"]) == (1, LINES, 0)


def test_lines_that_are_no_facts_are_kept_with_their_numbers_and_reasons_and_the_others_recorded(
    server, target_of, tmp_path
):
    target = target_of()
    good = file_of([joined("anna"), joined("ben")]).getvalue().splitlines()
    huge = b'{"fact":"' + b"x" * send_facts.MOST_BYTES + b'"}'
    unknown = file_of([completed("nobody", "nothing", 5)]).getvalue().strip()
    file = tmp_path / "facts.jsonl"
    lines = [good[0], b"", b'{"fact":"\xff\xfe"}', huge, b"nonsense", good[1], unknown, good[0], b'{"cut":']
    file.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines))
    said, told, status = run(server.url, target, file)
    refused_file = tmp_path / "facts.jsonl.refused.jsonl"
    assert status == 1
    assert (said["recorded"], said["known"], said["refused"]) == (2, 1, 5)
    assert said["refused_file"] == str(refused_file)
    refused = [json.loads(line) for line in refused_file.read_bytes().splitlines()]
    assert [(each["line"], each["code"]) for each in refused] == [
        (3, "invalid_utf8"), (4, "line_too_long"), (5, "invalid_json"), (7, "unresolved_reference"),
        (9, "invalid_json"),
    ]  # fmt: skip
    assert [each.get("content") for each in refused[2:]] == ["nonsense", unknown.decode(), '{"cut":']
    assert send_facts.Refusal.read(refused_file.read_bytes().splitlines()[0]).line.content == lines[2]
    assert all(each["reason"] for each in refused)
    assert refused_file.stat().st_mode & 0o77 == 0, "lines are about people"
    assert "line 7: unresolved_reference: " in told
    # Corrected, nothing is refused, and the refusals of an earlier run are removed.
    file.write_bytes(b"\n".join(good))
    assert run(server.url, target, file)[2] == 0
    assert not refused_file.exists()


def test_strict_stops_at_the_first_refused_line_and_goes_on_when_it_is_mended(server, target_of, tmp_path):
    target = target_of()
    good = file_of([joined(f"person-{number}") for number in range(9)]).getvalue().splitlines()
    file = tmp_path / "facts.jsonl"
    file.write_bytes(b"\n".join([*good[:5], b"nonsense", *good[5:]]))
    said, told, status = run(server.url, target, file, "--strict", "--lines", 4)
    assert (said, status) == (None, 1)
    assert "line 6: invalid_json" in told
    assert "Nothing of the post with line 6 was recorded" in told
    assert len(registers(target.organization_id)) > 0
    file.write_bytes(b"\n".join(good))
    said, told, status = run(server.url, target, file, "--strict", "--lines", 4)
    assert (status, said["recorded"], said["known"], said["lines"]) == (0, 9, 0, 9)
    assert "Going on behind line 4" in told


def test_strict_sends_nothing_after_a_refused_half_of_a_post_that_is_too_large(network, target_of, tmp_path):
    target = target_of()
    lines = file_of([joined(f"person-{number}") for number in range(7)]).getvalue().splitlines()
    file = tmp_path / "facts.jsonl"
    file.write_bytes(b"\n".join([*lines[:2], b"nonsense", *lines[2:]]))
    narrow = network(limit_bytes=3 * len(lines[0]))
    said, told, status = run(narrow.url, target, file, "--strict", "--compress", "none")
    assert (said, status) == (None, 1)
    assert "Nothing of the post with line 3 was recorded; the posts before it were." in told
    with context.company(target.organization_id):
        assert queries.employees(target.organization_id, datetime.now(UTC)) == 2
    file.write_bytes(b"\n".join(lines))
    said, told, status = run(narrow.url, target, file, "--strict", "--compress", "none")
    assert (status, said["recorded"], said["known"]) == (0, 5, 2), told


def test_a_line_with_a_bracket_takes_no_other_line_with_it(server, target_of, tmp_path):
    file = tmp_path / "facts.jsonl"
    good = file_of([joined(f"person-{number}") for number in range(3)]).getvalue()
    file.write_bytes(b"[1\n" + good + b"\xef\xbb\xbf\n")
    said, told, status = run(server.url, target_of(), file)
    assert (status, said["recorded"], said["refused"]) == (1, 3, 2), told
    assert "line 1: no_object: The line begins with a bracket." in told


def test_another_file_or_another_token_begins_at_the_first_line_and_a_pipe_must_bring_the_same(
    server, target_of, file, tmp_path
):
    one, other, folder = target_of(), target_of(), tmp_path / "kept"
    with start(server.url, one, "--lines", 2, "--state", folder, file) as process:
        until_more_is_sent(process, folder, 0)
        process.kill()
    assert "does not bring what" in run(server.url, one, "-", "--state", folder, given=STORY[10:])[1]
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(file_of([joined("anna")]).getvalue())
    said, told, status = run(server.url, one, changed, "--state", folder)
    assert (status, said["recorded"] + said["known"]) == (0, 1)
    assert "beginning at its first line" in told
    with start(server.url, one, "--lines", 2, "--state", folder, file) as process:
        until_more_is_sent(process, folder, 0)
        process.kill()
    said, told, status = run(server.url, other, "--state", folder, "-", given=STORY)
    assert (status, said["recorded"]) == (0, LINES), told


def test_only_one_run_sends_an_input(server, target_of, file):
    target, folder = target_of(), file.with_name("facts.jsonl.sending")
    with start(server.url, target, "--lines", 1, file) as process:
        until_more_is_sent(process, folder, 0)
        process.send_signal(signal.SIGSTOP)  # or it may have ended before the other run has begun
        _, told, status = run(server.url, target, file)
        assert (status, "being sent by another run" in told) == (2, True)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        assert process.wait(60) == send_facts.INTERRUPTED
    assert run(server.url, target, file)[2] == 0


def test_a_source_that_may_not_is_told_so_at_once(server, target_of, file):
    teams = target_of("team_created")
    said, _, status = run(server.url, teams, file)
    assert (status, said["recorded"], said["refused"]) == (1, 3, LINES - 3)
    forged = teams._replace(token="svc_in_test_" + "a" * 49)
    _, told, status = run(server.url, forged, file)
    assert (status, "401 invalid_token" in told) == (2, True)
    _, told, status = run(f"{server.url}/elsewhere", teams, file)
    assert status == 2
    _, told, status = run(server.url, teams, file, "--refused", "/nowhere/refused.jsonl")
    assert (status, "/nowhere/refused.jsonl" in told) == (2, True)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example.com/x?y\r\n", "elsewhere.example.com"),
        (b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://elsewhere.example.com/\r\n", "elsewhere.example.com"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "is not the service"),
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n", "407 Proxy Authentication Required"),
    ],
)
def test_what_is_not_the_service_is_believed_nothing(network, target_of, file, answer, sentence):
    other = network(answer=answer)
    _, told, status = run(other.url, target_of(), file)
    assert (status, sentence in told) == (2, True), told
    assert sent(file.with_name("facts.jsonl.sending")) == 0


def test_wait_ends_when_everything_can_be_read(server, target_of, file):
    target, ended = target_of(), threading.Event()
    with start(server.url, target, "--lines", 30, "--wait", "--json", file) as process:
        folder = file.with_name("facts.jsonl.sending")
        until_more_is_sent(process, folder, len(STORY) - 1)
        assert process.poll() is None, "nothing is captured yet"
        while process.poll() is None and not ended.wait(0.05):
            actions.capture_all(target.organization_id, datetime.now(UTC))
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    head = json.loads(printed)["capture"]
    assert head["sequence"] == len(reading.rows(target.organization_id))


@pytest.mark.parametrize("outage", [True, False])
def test_wait_goes_on_after_an_outage_and_where_its_lines_are_more_than_a_proxy_takes(
    network, target_of, tmp_path, outage
):
    file, target = tmp_path / "facts.jsonl", target_of()
    longer = 0 if outage else 150  # of every other line, so that two of them are more than any post before
    names = [f"person-{number}" + "x" * longer * (number % 2 == 0) for number in range(8)]
    lines = file_of([joined(name) for name in names]).getvalue().splitlines(keepends=True)
    file.write_bytes(b"".join(lines))
    failing = network(*["pass"] * 4, "away") if outage else network(limit_bytes=len(lines[0] + lines[1]))
    with start(failing.url, target, "--compress", "none", "--lines", 2, "--wait", "--json", file) as process:
        while process.poll() is None:
            actions.capture_all(target.organization_id, datetime.now(UTC))
            time.sleep(0.05)
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert json.loads(printed)["capture"]["sequence"] == len(reading.rows(target.organization_id))
    if outage:
        assert failing.met[:6] == [*["pass"] * 4, "away", "back"]
    else:  # of two lines that were too many, each was sent alone, as were all after them
        assert len(failing.met) >= 4 + 1 + 4


def test_on_a_terminal_it_draws_a_bar(server, target_of, file):
    master, slave = pty.openpty()
    with start(server.url, target_of(), "--lines", 20, file, stderr=slave) as process:
        os.close(slave)
        drawn = b""
        try:
            while chunk := os.read(master, 65536):
                drawn += chunk
        except OSError:  # the terminal's other end is closed
            pass
        os.close(master)
    assert process.returncode == 0, drawn
    assert re.search(rb"\r\[#+\.*\] +\d+ %|\r\[#+\.*\] +\d+%", drawn), drawn
    assert b" a second" in drawn
    assert b" left" in drawn


def test_moments_of_the_story_have_passed():
    assert moment(PEOPLE + 5) < AT.isoformat()
