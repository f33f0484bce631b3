"""`python -m compliance.contentfile serve`: a package on its author's machine, read again when it changes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

from development.demo.telling import PACKAGES

ROOT = Path(__file__).resolve().parents[2]


class Author:
    """An author who serves a package and looks at it."""

    def __init__(self, path):
        # Nothing of a deployment is available: no database, no Redis, no settings.
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "compliance.contentfile", "serve", str(path), "--port", "0"],
            cwd=ROOT,
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Accepts Ctrl-C even where the suite itself runs in the background, where the shell ignores it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        line = self.process.stdout.readline()
        assert " is at http://127.0.0.1:" in line, self.process.stderr.read()
        self.there = line.split(" is at ")[1].split(" ")[0]

    def get(self, path, **headers):
        request = urllib.request.Request(self.there + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode("utf-8", "replace"), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode("utf-8", "replace"), error.headers

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, complaints = self.process.communicate(timeout=30)
        return self.process.returncode, out, complaints


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return Path(shutil.copytree(PACKAGES / "fire-safety", tmp_path_factory.mktemp("author") / "fire-safety"))


@pytest.fixture(scope="module")
def author(package):
    made = Author(package)
    yield made
    assert made.end() == (0, "\n", "")


def test_a_package_is_shown_page_by_page_in_its_languages(author):
    status, overview, headers = author.get("")
    assert status == 200
    assert "Fire safety" in overview
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    status, page, _ = author.get("pages/know-your-way")
    assert (status, "Page 2 of 4" in page) == (200, True)
    assert 'class="player" lang="de"' in author.get("pages/know-your-way?language=de")[1]
    assert 'class="player" lang="en"' in author.get("pages/know-your-way?language=xx")[1]
    assert author.get("static/player/player.css")[0] == 200
    status, picture, headers = author.get("media/escape-plan", Range="bytes=1-3")
    assert (status, picture, headers["Content-Range"]) == (206, "PNG", f"bytes 1-3/{headers['Content-Range'][10:]}")


def test_answers_are_judged_and_kept_nowhere(author):
    page = author.get("pages/prevention")[1]
    question = page.partition('id="question-')[2].partition('"')[0]
    asked = f"pages/prevention?sent={question}&after-{question}=0&answer-{question}="
    assert "That is right." in author.get(f"{asked}false")[1]
    assert "That is not right." in author.get(f"{asked}true")[1]
    assert "That is" not in author.get("pages/prevention")[1]
    assert "There is a problem" in author.get(f"pages/prevention?sent={question}")[1]


@pytest.mark.parametrize("path", ["pages/nothing", "media/nothing", "style/nothing.css", "nothing"])
def test_what_is_not_there_is_not_found(author, path):
    assert author.get(path)[0] == 404


def test_no_file_beside_the_player_s_own_is_served(author):
    assert author.get("static/../manage.py")[0] == 400
    assert author.get("static/%2e%2e/manage.py")[0] == 400


def test_another_host_s_page_cannot_read_it(author):
    assert author.get("", Host="evil.example")[0] == 400


def test_a_change_is_seen_and_faults_are_listed_with_their_lines(author, package):
    before = author.get("state")[1]
    content = package / "content.json"
    good = content.read_text(encoding="utf-8")
    document = json.loads(good)
    document["lessons"][0]["pages"][0]["blocks"].append({"type": "headline", "text": "the-alarm.title"})
    content.write_text(json.dumps(document, indent=2), encoding="utf-8")
    status, page, _ = author.get("")
    assert status == 500
    assert "unknown_block_type" in page
    assert "content.json:" in page
    assert "headline" in page.partition("<pre")[2]
    assert author.get("state")[1] != before
    content.write_text("{", encoding="utf-8")
    assert "invalid_json" in author.get("pages/the-alarm")[1]
    content.write_text(good, encoding="utf-8")
    assert author.get("pages/the-alarm")[0] == 200
    moved = package.with_name("gone")
    package.rename(moved)
    status, page, _ = author.get("")
    moved.rename(package)
    assert (status, "cannot be read" in page) == (500, True)
    assert author.get("")[0] == 200


def test_a_link_that_leads_nowhere_and_a_name_that_is_not_utf8_are_listed_and_hide_no_change(author, package):
    content = package / "content.json"
    good = content.read_text(encoding="utf-8")
    hostile = [package / ".#content.json", package / os.fsdecode(b"plan-\xff.png")]
    hostile[0].symlink_to("nowhere")
    hostile[1].write_bytes(b"")
    try:
        status, page, _ = author.get("")
        assert (status, "link_in_package" in page, "unsafe_path" in page) == (500, True, True)
        before = author.get("state")[1]
        content.write_text("{", encoding="utf-8")
        assert author.get("state")[1] != before
        assert "invalid_json" in author.get("")[1]
    finally:
        content.write_text(good, encoding="utf-8")
        for each in hostile:
            each.unlink()
    assert author.get("")[0] == 200


def test_a_zip_is_served_with_its_film(tmp_path):
    path = tmp_path / "phishing.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for each in sorted((PACKAGES / "phishing").rglob("*")):
            if each.is_file():
                packed.write(each, each.relative_to(PACKAGES / "phishing"))
    author = Author(path)
    try:
        page = author.get("pages/one-click")[1]
        assert page.count("data-scene=") == 10
        assert "/style/film-one-click-3.css" in page
        assert ".film-one-click-3 .scene" in author.get("style/film-one-click-3.css")[1]
    finally:
        assert author.end()[0] == 0


def test_what_cannot_be_served_is_refused_with_a_reason(tmp_path):
    for arguments in ([str(tmp_path / "nothing")], [str(PACKAGES / "phishing"), "--port", "99999"]):
        ran = subprocess.run(
            [sys.executable, "-m", "compliance.contentfile", "serve", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ran.returncode == 2
        assert ran.stdout == ""
        assert "cannot be" in ran.stderr


def test_checking_needs_no_django():
    ran = subprocess.run(
        [sys.executable, "-c", "import sys, compliance.contentfile.__main__; sys.exit('django' in sys.modules)"],
        cwd=ROOT,
        timeout=60,
    )
    assert ran.returncode == 0
