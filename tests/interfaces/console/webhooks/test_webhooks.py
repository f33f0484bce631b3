"""Webhooks at the console: permissions, secrets displayed once, tries in words, and nothing of other companies."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.webhooks import signing
from compliance.webhooks.models import Webhook
from tests.companies import make_present_company
from tests.webhooks.conftest import change, made, present, send
from tests.webhooks.receiver import receiver as made_receiver

pytestmark = pytest.mark.django_db
ACTS = ("test", "pause", "replay", "rotate", "remove")


@pytest.fixture(autouse=True)
def receivers_on_this_machine(settings):
    settings.WEBHOOK_ALLOW_PRIVATE = True


@pytest.fixture
def receiver():
    with made_receiver() as found:
        yield found


@pytest.fixture
def company():
    return make_present_company("Harbour")


def where(company, path=""):
    return f"/console/companies/{company.organization_id}/{path}"


def act(client, company, name, **values):
    """Previews and confirms an act; the text of both pages."""
    address = where(company, f"act/{name}/")
    preview = client.post(address, {"step": "preview"} | values).content.decode()
    (job,) = re.findall(r'name="job" value="([0-9a-f-]{36})"', preview) or [""]
    sent = values | {"step": "confirm", "job": job, "reason": "Asked for by the company"}
    return preview, client.post(address, sent, follow=True).content.decode()


def only():
    return Webhook.objects.get()


def test_an_operator_adds_one_and_sees_its_secret_once(staff, company, receiver):
    client = staff(OPERATOR)
    assert "No program hears of changes yet" in client.get(where(company, "webhooks/")).content.decode()
    preview, done = act(client, company, "add-webhook", webhook_name="Warehouse", url=receiver.url)
    assert "with what changes from now on" in preview
    (secret,) = re.findall(r'<pre id="secret">(whsec_[^<]+)</pre>', done)
    assert "it is kept encrypted" in done
    assert signing.unseal(only().secret) == secret
    number = change(company, "Anna")
    send()
    assert receiver.requests[0].verified(secret)["data"]["capture_sequence"] == number
    for path in ("webhooks/", f"webhooks/{only().webhook_id}/"):
        text = client.get(where(company, path)).content.decode()
        assert "Warehouse" in text
        assert f"capture {number}" in text
        assert "of-the-receiver" not in text
        assert "whsec_" not in text


@pytest.mark.parametrize(
    "url", ["ftp://example.com/", "https://me:pass@example.com/", "https://example.com:25/", "example.com", "https://"]
)
def test_a_bad_url_is_refused_in_a_sentence(staff, company, url):
    preview, _ = act(staff(OPERATOR), company, "add-webhook", webhook_name="Warehouse", url=url)
    assert "A webhook&#x27;s" in preview
    assert not Webhook.objects.exists()


def test_the_page_says_what_was_tried_and_what_was_wrong(staff, company, receiver):
    _, webhook = made(company, receiver, name="Warehouse")
    client = staff(COMPLIANCE_MANAGER)
    assert "Nothing was sent yet" in client.get(where(company, f"webhooks/{webhook.webhook_id}/")).content.decode()
    change(company, "Anna", "Boris")
    receiver.answers = lambda request: 302
    send()
    text = client.get(where(company, f"webhooks/{webhook.webhook_id}/")).content.decode()
    for words in ("Failing", "The next event failed once", "answered with a redirect, which is not followed", "302",
                  "<dd>2</dd>", "Fails since"):  # fmt: skip
        assert words in text
    Webhook.objects.update(paused_at=present(), paused_because=Webhook.Pause.FAILING)
    for path in ("webhooks/", f"webhooks/{webhook.webhook_id}/"):
        assert "iven up after 72 hours" in client.get(where(company, path)).content.decode()


def test_pausing_resuming_replaying_and_testing(staff, company, receiver):
    secret, webhook = made(company, receiver, name="Warehouse")
    client, page = staff(OPERATOR), where(company, f"webhooks/{webhook.webhook_id}/")
    chosen = {"webhook_id": str(webhook.webhook_id)}
    _, done = act(client, company, "pause-webhook", **chosen)
    assert "is paused" in done
    assert "This webhook is paused already" in act(client, company, "pause-webhook", **chosen)[0]
    number = change(company, "Anna")
    assert ">Resume</a>" in client.get(page).content.decode()
    preview, done = act(client, company, "replay-webhook", from_capture="1", **chosen)
    assert "nothing is sent until it is resumed" in preview
    assert "There is no capture 99" in act(client, company, "replay-webhook", from_capture="99", **chosen)[0]
    _, done = act(client, company, "test-webhook", **chosen)
    assert "A test event waits to be sent" in done
    assert client.get(page).headers["Refresh"].startswith("2")
    assert send().sent == 1
    assert receiver.requests[0].verified(secret)["type"] == "test"
    assert "Refresh" not in client.get(page).headers
    _, done = act(client, company, "resume-webhook", **chosen)
    assert "is resumed" in done
    assert send().sent == 1
    assert receiver.requests[1].event["data"]["capture_sequence"] == number
    _, done = act(client, company, "rotate-webhook", **chosen)
    (rotated,) = re.findall(r'<pre id="secret">(whsec_[^<]+)</pre>', done)
    assert signing.unseal(only().secret) == rotated
    assert "the former one signs too" in client.get(page).content.decode()
    _, done = act(client, company, "remove-webhook", **chosen)
    assert "is removed" in done
    assert not Webhook.objects.exists()
    assert client.get(page).status_code == 404
    mine = AccessLog.objects.filter(organization_id=company.organization_id).exclude(act="")
    acts = list(mine.order_by("id").values_list("act", "reason", "subject"))
    performed = [name for name, _, _ in acts if "(" not in name]
    assert performed == [
        "pause-webhook", "replay-webhook", "test-webhook", "resume-webhook", "rotate-webhook", "remove-webhook",
    ]  # fmt: skip
    assert all(reason and chosen["webhook_id"] in subject for name, reason, subject in acts if name in performed)
    assert "of-the-receiver" not in str(acts)


@pytest.mark.parametrize("group", [COMPLIANCE_MANAGER, AUDITOR])
def test_permissions_not_operate_sees_and_changes_nothing(staff, company, receiver, group):
    _, webhook = made(company, receiver)
    client = staff(group)
    for path in ("webhooks/", f"webhooks/{webhook.webhook_id}/"):
        text = client.get(where(company, path)).content.decode()
        assert re.search(r"/act/[a-z]+-webhook/", text) is None
    for name in ACTS:
        assert client.get(where(company, f"act/{name}-webhook/")).status_code == 403


def test_staff_of_another_company_see_nothing_and_reach_nothing(staff, company, receiver):
    _, webhook = made(company, receiver, name="Warehouse")
    other = make_present_company("Other")
    client = staff(OPERATOR, companies=[other.organization_id])
    assert client.get(where(company, "webhooks/")).status_code == 404
    assert client.get(where(other, f"webhooks/{webhook.webhook_id}/")).status_code == 404
    assert "Warehouse" not in client.get(where(other, "webhooks/")).content.decode()
    for name in ACTS:
        values = {"webhook_id": str(webhook.webhook_id), "from_capture": "1"}
        preview, _ = act(client, other, f"{name}-webhook", **values)
        assert "errorlist" in preview
    assert (only().paused_at, only().test_id, only().former_secret) == (None, None, "")


def test_pages_cost_as_many_statements_with_many_webhooks_and_tries(
    staff, company, receiver, django_assert_num_queries
):
    _, webhook = made(company, receiver)
    client = staff(OPERATOR)
    pages = [where(company, "webhooks/"), where(company, f"webhooks/{webhook.webhook_id}/")]
    change(company, "Anna")
    send()

    def cost(page):
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get(page).status_code == 200
        return len(captured)

    before = [cost(page) for page in pages]
    for _ in range(5):
        made(company, receiver)
    change(company, "Boris", "Clara", "Dora")
    send()
    assert [cost(page) for page in pages] == before
