"""/.well-known/security.txt names whom to tell about a weakness, by RFC 9116."""

from datetime import UTC, datetime, timedelta

URL = "/.well-known/security.txt"


def test_the_file_names_the_contacts_in_their_order_and_ends(client, settings):
    settings.SECURITY_CONTACT = ["mailto:security@example.com", "https://example.com/report"]
    settings.BASE_URL = "https://records.example.com"
    answer = client.get(URL)
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    fields = [line.split(": ", 1) for line in answer.content.decode().splitlines()]
    assert [value for name, value in fields if name == "Contact"] == settings.SECURITY_CONTACT
    assert ["Canonical", f"https://records.example.com{URL}"] in fields
    (expires,) = [datetime.fromisoformat(value) for name, value in fields if name == "Expires"]
    assert timedelta(days=170) < expires - datetime.now(UTC) < timedelta(days=365)


def test_without_a_contact_there_is_no_file(client, settings):
    settings.SECURITY_CONTACT = []
    assert client.get(URL).status_code == 404
