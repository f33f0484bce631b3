"""Webhooks are made, given new secrets, paused, resumed, replayed, tested and removed; by commands too."""

import json
import logging
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from compliance.history.actions import capture_all
from compliance.history.errors import NoHistoryError
from compliance.tenancy import sql
from compliance.webhooks import actions, queries, signing
from compliance.webhooks.errors import (
    BadAddressError,
    BadCaptureError,
    NoSuchWebhookError,
    TooManyWebhooksError,
    UnreadableSecretError,
    WebhookStateError,
)
from compliance.webhooks.models import Webhook
from tests.companies import make_present_company
from tests.webhooks.conftest import Clock, attempts, change, made, present, send
from tests.webhooks.test_sending import again


def command(capsys, name, *arguments):
    call_command(name, *map(str, arguments))
    return capsys.readouterr().out


def test_a_secret_is_printed_once_and_kept_sealed(company, receiver, capsys):
    told = json.loads(command(capsys, "create_webhook", company.organization_id, receiver.url, "--json"))
    assert set(told) == {"secret", "webhook_id"}
    assert told["secret"].startswith("whsec_")
    stored = Webhook.objects.get(webhook_id=told["webhook_id"])
    assert told["secret"] not in stored.secret
    assert signing.unseal(stored.secret) == told["secret"]
    listed = command(capsys, "list_webhooks", company.organization_id, "--json")
    assert told["secret"] not in listed
    assert "of-the-receiver" not in listed
    assert json.loads(listed)[0]["url"].endswith("/hooks?…")
    assert "1 webhooks." in command(capsys, "list_webhooks")


def test_for_a_day_after_a_rotation_two_secrets_sign(company, receiver, capsys):
    secret, webhook = made(company, receiver)
    told = json.loads(command(capsys, "rotate_webhook_secret", webhook.webhook_id, "--json"))
    assert told["webhook_id"] == str(webhook.webhook_id)
    change(company, "Anna", "Boris")
    send()
    request = receiver.requests[0]
    assert request.verified(secret) == request.verified(told["secret"])
    assert len(request.headers["webhook-signature"].split()) == 2
    event = queries.webhook(company.organization_id, webhook.webhook_id)
    later = dict(signing.headers(event, _test_event(event), present() + actions.OVERLAP))
    assert len(later["webhook-signature"].split()) == 1


def _test_event(webhook):
    from compliance.webhooks.events import of_test

    return of_test(webhook.organization_id, webhook.webhook_id, uuid.uuid4(), present())


def test_a_second_rotation_leaves_the_newest_two(company, receiver):
    first, webhook = made(company, receiver)
    second, _ = actions.rotate_secret(webhook_id=webhook.webhook_id, at=present(), actor="test")
    third, _ = actions.rotate_secret(webhook_id=webhook.webhook_id, at=present(), actor="test")
    change(company, "Anna")
    send()
    (request,) = receiver.requests
    assert request.verified(second) == request.verified(third)
    with pytest.raises(Exception, match="No matching signature"):
        request.verified(first)


def test_secrets_survive_a_change_of_the_key(company, receiver, settings, capsys):
    secret, webhook = made(company, receiver)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [settings.SECRET_KEY]
    assert signing.unseal(again(webhook).secret) == secret
    assert "1 webhooks" in command(capsys, "reseal_webhook_secrets")
    settings.SECRET_KEY_FALLBACKS = []
    assert signing.unseal(again(webhook).secret) == secret
    settings.SECRET_KEY = "o" * 50
    with pytest.raises(UnreadableSecretError):
        signing.unseal(again(webhook).secret)
    with pytest.raises(CommandError, match="SECRET_KEY"):
        command(capsys, "reseal_webhook_secrets")


def test_a_new_secret_sends_at_once_where_the_former_one_cannot_be_opened(company, receiver, settings, capsys):
    _, webhook = made(company, receiver)
    change(company, "Anna")
    settings.SECRET_KEY = "o" * 50
    assert send() == (0, 1, False)
    secret, _ = actions.rotate_secret(webhook_id=webhook.webhook_id, at=present(), actor="test")
    assert send(lambda: present() + timedelta(seconds=6)) == (1, 0, False)
    assert receiver.requests[0].verified(secret)
    assert "1 webhooks" in command(capsys, "reseal_webhook_secrets")


def test_a_webhook_begins_with_what_comes_or_with_a_capture_of_before(company, receiver):
    first = change(company, "Anna")
    made(company, receiver)
    assert send().sent == 0
    made(company, receiver, from_capture=1)
    assert send().sent == 1
    assert receiver.captures == [first]


def test_replaying_sends_the_same_events_again(company, receiver, capsys):
    secret, webhook = made(company, receiver)
    first, last = change(company, "Anna"), change(company, "Boris")
    send()
    before = receiver.requests[:]
    assert "capture 1 and all since" in command(capsys, "replay_webhook", webhook.webhook_id, 1)
    assert send().sent == 2
    assert receiver.captures == [first, last] * 2
    for old, new in zip(before, receiver.requests[2:], strict=True):
        assert (old.body, old.headers["webhook-id"]) == (new.body, new.headers["webhook-id"])
        assert new.verified(secret)
    for number in (0, -1, last + 1, 10**12):
        with pytest.raises(BadCaptureError):
            actions.replay(webhook_id=webhook.webhook_id, from_capture=number, actor="test")


def test_pausing_and_resuming_by_command(company, receiver, capsys):
    _, webhook = made(company, receiver)
    assert "is paused" in command(capsys, "pause_webhook", webhook.webhook_id)
    change(company, "Anna")
    assert send().sent == 0
    with pytest.raises(WebhookStateError):
        actions.pause(webhook_id=webhook.webhook_id, at=present(), actor="test")
    assert "once it is resumed" in command(capsys, "replay_webhook", webhook.webhook_id, 1)
    assert "is resumed" in command(capsys, "resume_webhook", webhook.webhook_id)
    with pytest.raises(WebhookStateError):
        actions.resume(webhook_id=webhook.webhook_id, actor="test")
    assert send().sent == 1


def test_a_test_event_goes_to_a_paused_webhook_too_and_is_tried_once(company, receiver, capsys):
    secret, webhook = made(company, receiver)
    actions.pause(webhook_id=webhook.webhook_id, at=present(), actor="test")
    command(capsys, "test_webhook", webhook.webhook_id)
    receiver.answers = lambda request: 500
    assert send() == (0, 1, False)
    assert send() == (0, 0, False)
    event = receiver.requests[0].verified(secret)
    assert event["type"] == "test"
    assert event["data"] == {
        "organization_id": str(company.organization_id), "webhook_id": str(webhook.webhook_id),
    }  # fmt: skip
    (tried,) = attempts(webhook)
    assert (tried.capture_sequence, tried.status, tried.failure) == (None, 500, "status")
    assert again(webhook).failing_since is None


def test_removing_leaves_nothing(company, receiver, capsys):
    _, webhook = made(company, receiver)
    change(company, "Anna")
    send()
    assert "is removed" in command(capsys, "remove_webhook", webhook.webhook_id)
    assert attempts(webhook) == []
    assert not Webhook.objects.filter(organization_id=company.organization_id).exists()
    with pytest.raises(CommandError, match="There is no webhook"):
        command(capsys, "remove_webhook", webhook.webhook_id)


def test_tries_are_forgotten_after_two_weeks(company, receiver):
    from compliance.tenancy import context

    _, webhook = made(company, receiver)
    clock = Clock()
    clock.now -= timedelta(days=15)
    actions.ask_test(webhook_id=webhook.webhook_id, at=clock(), actor="test")
    send(clock)
    actions.ask_test(webhook_id=webhook.webhook_id, at=present(), actor="test")
    send()
    assert len(attempts(webhook)) == 2
    with context.company(company.organization_id):
        assert actions.forget_attempts(company.organization_id, present()) == 1
    assert len(attempts(webhook)) == 1


def test_another_company_s_webhook_is_none(company, receiver):
    _, webhook = made(company, receiver)
    other = make_present_company("Other").organization_id
    change(company, "Anna")
    send()
    same: Any = {"webhook_id": webhook.webhook_id, "actor": "test", "organization_id": other}
    for act in (
        lambda: actions.rotate_secret(at=present(), **same),
        lambda: actions.pause(at=present(), **same),
        lambda: actions.resume(**same),
        lambda: actions.replay(from_capture=1, **same),
        lambda: actions.ask_test(at=present(), **same),
        lambda: actions.remove(**same),
        lambda: queries.webhook(other, webhook.webhook_id),
    ):
        with pytest.raises(NoSuchWebhookError):
            act()


def test_a_company_has_twenty_at_most_and_must_exist(company, receiver):
    for _ in range(actions.MOST_OF_A_COMPANY):
        made(company, receiver)
    with pytest.raises(TooManyWebhooksError):
        made(company, receiver)
    with pytest.raises(NoHistoryError):
        actions.create_webhook(organization_id=uuid.uuid4(), url=receiver.url, at=present(), actor="test")


def test_of_two_who_make_the_last_one_at_once_the_second_is_refused(committed, receiver):
    company = make_present_company()
    for _ in range(actions.MOST_OF_A_COMPANY - 1):
        made(company, receiver)

    def last() -> None:
        try:
            made(company, receiver)
        finally:
            connection.close()

    waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    try:
        with ThreadPoolExecutor(1) as threads:
            with transaction.atomic():
                made(company, receiver)
                second = threads.submit(last)
                while not second.done() and not sql.fetch(waiting):
                    time.sleep(0.01)
            assert isinstance(second.exception(), TooManyWebhooksError)
        assert len(queries.of_company(company.organization_id)) == actions.MOST_OF_A_COMPANY
    finally:
        Webhook.objects.filter(organization_id=company.organization_id).delete()


def test_a_bad_url_makes_nothing(company, capsys, settings):
    settings.PRODUCTION = True
    for url in ("http://example.com/", "https://me:secret@example.com/", "https://example.com:25/"):
        with pytest.raises(CommandError) as refused:
            command(capsys, "create_webhook", company.organization_id, url)
        assert url not in str(refused.value)
    assert not Webhook.objects.filter(organization_id=company.organization_id).exists()
    with pytest.raises(BadAddressError):
        actions.checked("https://example.com/#part")


def test_figures_say_what_waits_fails_and_was_given_up(company, receiver):
    made(company, receiver)
    assert queries.figures() == (0, None, 0, 0)
    change(company, "Anna")
    oldest = queries.figures().waiting_since
    change(company, "Boris")
    made(company, receiver, from_capture=1)
    assert queries.figures() == (4, oldest, 0, 0)
    receiver.answers = lambda request: 500
    send()
    assert queries.figures() == (4, oldest, 2, 0)
    Webhook.objects.update(paused_at=present(), paused_because="failing")
    assert queries.figures() == (0, None, 0, 2)
    assert capture_all(company.organization_id, present()) == []


def test_figures_ask_as_much_however_many_webhooks_have_nothing_to_send(company, receiver, django_assert_num_queries):
    made(company, receiver)
    change(company, "Anna")
    send()
    with CaptureQueriesContext(connection) as one:
        queries.figures()
    for _ in range(3):
        made(make_present_company(), receiver)
    with django_assert_num_queries(len(one)):
        assert queries.figures() == (0, None, 0, 0)


def test_logs_name_no_url_and_no_secret(company, receiver, caplog):
    caplog.set_level(logging.DEBUG)
    secret, webhook = made(company, receiver)
    rotated, _ = actions.rotate_secret(webhook_id=webhook.webhook_id, at=present(), actor="test")
    change(company, "Anna")
    receiver.answers = lambda request: 500
    send()
    text = "".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert "webhook_failed" in text
    for hidden in (secret, rotated, "of-the-receiver", "/hooks"):
        assert hidden not in text
