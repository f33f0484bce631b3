"""What receivers hear: every capture that changed something, in order, signed as the specification says."""

import json

from django.core.management import call_command

from compliance.webhooks import claims
from compliance.webhooks.models import Webhook
from tests.webhooks.conftest import change, present, send


def created(company, receiver, capsys, *more):
    call_command("create_webhook", str(company.organization_id), receiver.url, "--json", *more)
    return json.loads(capsys.readouterr().out)


def test_a_receiver_hears_of_each_capture_that_changed_something_in_order_and_can_verify_it(company, receiver, capsys):
    made = created(company, receiver, capsys)
    assert not claims.any_due(present())
    first = change(company, "Anna")
    second = change(company, "Boris")
    assert claims.any_due(present())
    assert send() == (2, 0, False)
    assert receiver.captures == [first, second]
    told = [each.verified(made["secret"]) for each in receiver.requests]
    assert [each["type"] for each in told] == ["history.captured"] * 2
    assert [each["data"]["registers"] for each in told] == [{"people": 1}] * 2
    assert {each["data"]["organization_id"] for each in told} == {str(company.organization_id)}
    assert told[0]["data"]["sequence"] < told[1]["data"]["sequence"]
    assert receiver.requests[0].path == "/hooks?token=of-the-receiver"
    assert not claims.any_due(present())
    assert send() == (0, 0, False)


def test_two_secrets_sign_after_a_rotation(company, receiver, capsys):
    made = created(company, receiver, capsys)
    call_command("rotate_webhook_secret", made["webhook_id"], "--json")
    rotated = json.loads(capsys.readouterr().out)
    assert rotated["webhook_id"] == made["webhook_id"]
    assert rotated["secret"] != made["secret"]
    change(company, "Anna")
    send()
    (request,) = receiver.requests
    assert request.verified(made["secret"]) == request.verified(rotated["secret"])
    stored = Webhook.objects.get(webhook_id=made["webhook_id"])
    assert made["secret"] not in stored.former_secret
    assert rotated["secret"] not in stored.secret
