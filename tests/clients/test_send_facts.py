"""The sender of facts before it sends anything: what it counts, and what it refuses to start with."""

import contextlib
import gzip
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clients import send_facts

PROGRAM = Path(send_facts.__file__)
TOKEN = "svc_in_test_" + "a" * 49
GOOD = b'{"fact":"team_created","fact_id":"0b2e4f6a-8c1d-4e3f-9a5b-7d6c8e9f0a1b","at":"2026-05-31T09:30:00Z"}'


def run(*arguments, token=TOKEN, given=b"", environment=None):
    """Runs the program as a customer does, with nothing but Python."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")} | (
        environment or {}
    )
    if token is not None:
        environment["SVC_SOURCE_TOKEN"] = token
    command = [sys.executable, "-I", "-S", "-W", "error", str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, input=given, env=environment, capture_output=True, check=False)


def test_a_dry_run_counts_by_kind_and_names_lines_that_are_wrong_as_they_are(tmp_path):
    other = GOOD.replace(b"team_created", b"team_renamed")
    file = tmp_path / "facts.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n" + other + b"\n\xff\xfe\nnothing\n[]\n" + GOOD)
    ran = run("--dry-run", "--json", file, token=None)
    assert (ran.returncode, ran.stderr) == (1, b"")
    counted = json.loads(ran.stdout)
    assert counted["facts"] == {"team_created": 2, "team_renamed": 1}
    assert [each["line"] for each in counted["wrong"]] == [4, 5, 6]
    assert (counted["posts"], counted["bytes"]) == (1, file.stat().st_size)
    said = run("--dry-run", file, token=None).stdout.decode()
    assert "2 team_created" in said
    assert "line 4: The line is not valid UTF-8." in said
    assert list(tmp_path.iterdir()) == [file]


def test_posts_are_cut_by_lines_and_by_bytes():
    lines = [send_facts.Line(number, b"x" * 99) for number in range(1, 11)]

    def sizes(most_lines, most_bytes):
        limits = send_facts.Limits(most_lines, most_bytes)
        return [len(post.lines) for post in send_facts.posts(lines, limits, lambda: None)]

    assert sizes(4, 10_000) == [4, 4, 2]
    assert sizes(100, 300) == [3, 3, 3, 1]
    assert sizes(100, 50) == [1] * 10


def test_no_line_longer_than_a_post_is_kept_in_memory_or_hides_the_next(tmp_path):
    huge = b'{"fact":"' + b"x" * (send_facts.MOST_BYTES + 10) + b'"}'
    for ending in (b"\n" + GOOD, b""):
        file = tmp_path / "facts.jsonl"
        file.write_bytes(GOOD + b"\n" + huge + ending)
        with file.open("rb") as stream:
            lines = list(send_facts.Input(stream))
        assert [(line.number, line.fault is None) for line in lines] == [(1, True), (2, False), (3, True)][
            : 3 if ending else 2
        ]
        assert len(lines[1].content) == send_facts.QUOTED_BYTES


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--url", "http://records.example.com"], "others can read it"),
        (["--url", "records.example.com"], "an address like"),
        (["--url", "https://records.example.com/?token=x"], "an address like"),
        (["--url", f"https://{TOKEN}@records.example.com"], "on the command line"),
        (["--url", "https://me@records.example.com"], "no user"),
        (["--url", "https://records.example.com:84430"], "an address like"),
        (["--url", "https://records .example.com"], "an address like"),
        (["--url", "https://records.example.com/prämien"], "an address like"),
        (["--url", "https://[::1"], "an address like"),
        (["--url", "https://records..example.com"], "an address like"),
        (["--url", f"https://{'a' * 64}.example.com"], "an address like"),
        (["--url", "https://records.example.com", "--token-file", TOKEN], "on the command line"),
        (["--url", "https://records.example.com", "--token-file", "/nowhere/token"], "cannot be read"),
    ],
)
def test_a_token_goes_only_where_it_belongs(tmp_path, arguments, sentence):
    file = tmp_path / "facts.jsonl"
    file.write_bytes(GOOD)
    ran = run(file, *arguments)
    said = ran.stderr.decode()
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert sentence in said
    assert TOKEN not in said


def test_the_facts_file_is_not_replaced_by_its_refused_lines(tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_bytes(GOOD)
    (tmp_path / "there").symlink_to(tmp_path)
    ran = run(file, "--url", "http://127.0.0.1:1", "--patience", "0", "--refused", tmp_path / "there" / "facts.jsonl")
    assert (ran.returncode, "names the facts file" in ran.stderr.decode()) == (2, True)
    assert file.read_bytes() == GOOD


@pytest.mark.parametrize("place", [".", "no folder/refused.jsonl", "pipe", "/dev/fd/0.jsonl"])
def test_where_refused_lines_cannot_be_kept_is_told_before_anything_is_sent(tmp_path, place):
    file = tmp_path / "facts.jsonl"
    file.write_bytes(GOOD)
    os.mkfifo(tmp_path / "pipe")
    ran = run(file, "--url", "http://127.0.0.1:1", "--patience", "0", "--refused", tmp_path / place)
    assert (ran.returncode, "by --refused" in ran.stderr.decode()) == (2, True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["facts.jsonl", "pipe"]


def test_kinds_that_no_terminal_can_print_are_counted(tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_bytes(GOOD + b'\n{"fact":"\\ud800","fact_id":"1"}')
    ran = run("--dry-run", file, token=None)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"1 \\ud800" in ran.stdout


def test_what_cannot_be_sent_is_told_before_anything_is_sent(tmp_path):
    url = ["--url", "http://127.0.0.1:1"]
    file = tmp_path / "facts.jsonl"
    assert "cannot be read" in run(file, *url).stderr.decode()
    file.write_bytes(GOOD.decode().encode("utf-16"))
    assert "UTF-16" in run(file, *url).stderr.decode()
    file.write_bytes(gzip.compress(GOOD))
    assert "Unpack it" in run(file, *url).stderr.decode()
    file.write_bytes(b"\n\r\n")
    assert "The input is empty." in run(file, *url).stderr.decode()
    file.write_bytes(GOOD)
    assert "holds no token" in run(file, *url, token=None).stderr.decode()
    assert "holds no token" in run(file, *url, token="secret").stderr.decode()
    ran = run(file, *url, "--patience", "0")
    assert (ran.returncode, "Given up" in ran.stderr.decode()) == (2, True)


def test_a_line_that_would_change_how_the_lines_after_it_are_read_is_faulty_wherever_it_is(tmp_path):
    file = tmp_path / "facts.jsonl"
    mark = b"\xef\xbb\xbf"
    lines = [mark + b"[" + GOOD + b"]", GOOD, b"  [1", mark, mark + GOOD, b'{"a":[]}']
    file.write_bytes(b"\n".join(lines))
    with file.open("rb") as stream:
        found = [(line.number, line.fault and line.fault.code) for line in send_facts.Input(stream)]
    assert found == [
        (1, "no_object"), (2, None), (3, "no_object"), (4, "invalid_json"), (5, "invalid_json"), (6, None),
    ]  # fmt: skip


def test_a_folder_with_other_files_loses_none_of_them(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    others = {folder / "facts.jsonl": GOOD, folder / "sub" / "notes.txt": b"notes", folder / "letter": b"letter"}
    for path, content in others.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    kept = send_facts.Folder(folder)
    state = kept.begin("https://records.example.com", "token")
    kept.keep(state, [send_facts.Refusal(send_facts.Line(1, GOOD), "code", "Reason.")], [])
    kept.settle(state, 1)
    assert len(kept.publish(tmp_path / "refused")) == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == others
    assert (tmp_path / "refused").exists()


@pytest.mark.parametrize("name", ["refused.jsonl", "deferred.jsonl", "state.json", "lock"])
def test_a_folder_with_files_of_others_under_its_names_is_not_used(tmp_path, name):
    (tmp_path / name).write_bytes(GOOD)
    file = tmp_path / "facts.jsonl"
    file.write_bytes(GOOD)
    ran = run(file, "--url", "http://127.0.0.1:1", "--state", tmp_path, "--patience", "0")
    assert (ran.returncode, "Name another folder by --state." in ran.stderr.decode()) == (2, True)
    assert (tmp_path / name).read_bytes() == GOOD
    (tmp_path / name).unlink()
    for more in ([tmp_path / name], [file, "--refused", tmp_path / "sub" / ".." / name]):
        (tmp_path / "sub").mkdir(exist_ok=True)
        if more[0] != file:
            (tmp_path / name).write_bytes(b"")
        ran = run(*more, "--url", "http://127.0.0.1:1", "--state", tmp_path, "--patience", "0")
        assert "Name another folder by --state." in ran.stderr.decode()
        (tmp_path / name).unlink(missing_ok=True)


def test_a_run_that_was_killed_before_its_first_state_can_begin_again(tmp_path):
    (tmp_path / "refused.jsonl").touch()
    (tmp_path / "lock").touch()
    (tmp_path / "state.json.new").write_text('{"url":')
    kept = send_facts.Folder(tmp_path)
    assert kept.load("https://records.example.com", "token").sent == 0
    kept.close()


def test_a_proxy_is_not_given_the_token_for_this_machine(tmp_path):
    seen = []

    class Recording(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(self.path)  # a proxy is given the whole address
            self.send_error(404)

        def log_message(self, *_):
            pass

    with contextlib.ExitStack() as stack:
        ports = []
        for _ in range(2):
            server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recording))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            ports.append(server.server_port)
        file = tmp_path / "facts.jsonl"
        file.write_bytes(GOOD)
        proxies = dict.fromkeys(("http_proxy", "HTTP_PROXY", "all_proxy"), f"http://127.0.0.1:{ports[1]}")
        ran = run(file, "--url", f"http://127.0.0.1:{ports[0]}", environment=proxies | {"no_proxy": "", "NO_PROXY": ""})
    assert "404" in ran.stderr.decode()
    assert seen == ["/in/v1/facts"]


def test_a_refusal_is_kept_with_its_line_whatever_that_holds():
    for content in ("é\u2028\u0000x".encode(), b"\xff\xfe\x00", b"{}"):
        refusal = send_facts.Refusal(send_facts.Line(7, content), "code", "Reason.", None)
        written = refusal.written()
        assert written.count(b"\n") == 1
        assert send_facts.Refusal.read(written) == refusal
