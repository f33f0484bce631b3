"""The page with the demo's letters: newest first, HTML in a frame without scripts, for this machine only."""

import threading
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest

from compliance.letters.mailbox import keep
from development.demo.mailbox import Mailbox

HTML = '<!doctype html><html lang="en"><head><title>x</title></head><body><a href="http://127.0.0.1/learn/">Go</a>'


def letter(subject: str, html: str = HTML) -> bytes:
    made = EmailMessage()
    made["Subject"], made["To"], made["From"] = subject, "Zoé <zoe@example.org>", "svc@example.org"
    made.set_content("Hello <b>Zoé</b>")
    if html:
        made.add_alternative(html, subtype="html")
    return made.as_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "letters"


@pytest.fixture
def browser(folder: Path) -> Iterator[httpx.Client]:
    with Mailbox(folder, 0) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{server.server_address[1]}") as client:
                yield client
        finally:
            server.shutdown()
            serving.join()


def test_the_list_begins_with_the_newest_letter(folder: Path, browser: httpx.Client) -> None:
    assert "No letter yet" in browser.get("/").text
    for subject in ("Older", "Newer <script>"):
        keep(letter(subject), folder)
    page = browser.get("/").text
    assert page.index("Newer &lt;script&gt;") < page.index("Older")
    assert "Zoé &lt;zoe@example.org&gt;" in page


def test_a_letter_is_shown_in_a_frame_that_runs_nothing_and_as_text(folder: Path, browser: httpx.Client) -> None:
    name = keep(letter("Échéance"), folder).name
    page = browser.get(f"/{name}")
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in page.text
    assert "Hello &lt;b&gt;Zoé&lt;/b&gt;" in page.text
    frame = browser.get(f"/{name}/html")
    assert frame.headers["Content-Security-Policy"].startswith("sandbox allow-popups ")
    assert (
        "script-src" not in frame.headers["Content-Security-Policy"]
    )  # so that `default-src 'none'` holds for scripts
    assert '<head><base target="_blank"><title>' in frame.text


def test_a_letter_without_html_is_shown_as_text_alone(folder: Path, browser: httpx.Client) -> None:
    page = browser.get(f"/{keep(letter('Plain', html=''), folder).name}").text
    assert "<iframe" not in page
    assert "Hello &lt;b&gt;" in page


@pytest.mark.parametrize("path", ["/x.eml", "/..%2Fsecrets.env", "/../secrets.env", "/secrets.env", "/x.eml/other"])
def test_nothing_but_letters_of_the_folder_is_served(folder: Path, browser: httpx.Client, path: str) -> None:
    folder.mkdir()
    (folder.parent / "secrets.env").write_text("secret")
    (folder / "secrets.env").write_text("secret")
    assert browser.get(path).status_code == 404


def test_another_name_for_this_machine_is_refused(browser: httpx.Client) -> None:
    assert browser.get("/", headers={"Host": "evil.example"}).status_code == 421
