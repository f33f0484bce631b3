"""What receivers get: every capture that changed something, in order, at least once, whatever happens on the way."""

import threading
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.history.actions import capture_all
from compliance.tenancy import nodes
from compliance.webhooks import actions, claims
from compliance.webhooks.models import Webhook
from compliance.webhooks.posting import Answer
from tests.companies import make_present_company
from tests.webhooks.conftest import Clock, attempts, change, made, present, send
from tests.webhooks.receiver import receiver as made_receiver


def again(webhook):
    return Webhook.objects.get(webhook_id=webhook.webhook_id)


def test_a_receiver_hears_of_each_capture_that_changed_something_in_order_and_can_verify_it(company, receiver):
    secret, webhook = made(company, receiver)
    assert not claims.any_due(present())
    first, second = change(company, "Anna"), change(company, "Boris")
    assert claims.any_due(present())
    assert send() == (2, 0, False)
    assert receiver.captures == [first, second]
    events = [each.verified(secret) for each in receiver.requests]
    assert [each["type"] for each in events] == ["history.captured"] * 2
    assert [each["data"]["registers"] for each in events] == [{"people": 1}] * 2
    assert {each["data"]["organization_id"] for each in events} == {str(company.organization_id)}
    assert events[0]["data"]["sequence"] < events[1]["data"]["sequence"]
    assert receiver.requests[0].headers["content-type"] == "application/json"
    assert not claims.any_due(present())
    assert send() == (0, 0, False)
    assert [(each.status, each.number, each.failure) for each in attempts(webhook)] == [(204, 1, "")] * 2


def test_an_event_says_how_many_records_of_which_registers_changed_and_nothing_personal(company, receiver):
    made(company, receiver)
    course = company.course("Fire safety")
    company.share(course)
    for name in ("Anna Nowak", "Boris", "Clara"):
        company.join(name)
    capture_all(company.organization_id, present())
    send()
    (request,) = receiver.requests
    assert request.event["data"]["registers"] == {"training-records": 3, "people": 3, "courses": 1}
    assert set(request.event) == {"type", "timestamp", "data"}
    assert b"Anna" not in request.body
    assert b"example.org" not in request.body


def test_captures_that_changed_nothing_are_passed_over(company, receiver):
    _, webhook = made(company, receiver)
    team = company.team("Night shift")
    assert team
    last = capture_all(company.organization_id, present())
    send()
    assert receiver.requests == []
    assert again(webhook).capture_sequence == (last[-1].capture_sequence if last else webhook.capture_sequence)
    assert not claims.any_due(present())


def test_an_event_that_fails_is_tried_again_and_the_next_waits(company, receiver):
    _, webhook = made(company, receiver)
    first, second = change(company, "Anna"), change(company, "Boris")
    statuses = iter([500, 302, 204, 204])
    receiver.answers = lambda request: next(statuses)
    clock = Clock()
    assert send(clock) == (0, 1, False)
    assert not claims.any_due(clock() + timedelta(seconds=4))
    assert again(webhook).next_try_at == clock() + timedelta(seconds=5)
    clock.now += timedelta(seconds=5)
    assert send(clock) == (0, 1, False)
    clock.now += timedelta(seconds=10)
    assert send(clock) == (2, 0, False)
    assert receiver.captures == [first, first, first, second]
    tried = receiver.requests[:3]
    assert len({each.headers["webhook-id"] for each in tried}) == 1
    assert len({each.body for each in tried}) == 1
    assert len({each.headers["webhook-timestamp"] for each in tried}) == 3
    assert receiver.requests[3].headers["webhook-id"] != tried[0].headers["webhook-id"]
    assert [(each.number, each.failure) for each in attempts(webhook)] == [
        (1, "status"), (2, "redirect"), (3, ""), (1, ""),
    ]  # fmt: skip
    assert again(webhook).failing_since is None


def test_a_receiver_that_is_down_for_71_hours_then_hears_of_everything_in_order(company, receiver):
    _, webhook = made(company, receiver)
    first = change(company, "Anna")
    clock = Clock()
    up_at = clock() + timedelta(hours=71)
    receiver.answers = lambda request: 503 if clock() < up_at else 204
    names = iter(f"Person {number}" for number in range(20))
    while again(webhook).capture_sequence < first:
        if clock() + timedelta(hours=50) > up_at and (name := next(names, None)):
            change(company, name)
        send(clock)
        clock.now = again(webhook).next_try_at or clock()
    send(clock)
    assert len(attempts(webhook)) > 80
    heard = receiver.captures
    assert list(dict.fromkeys(heard)) == list(range(first, first + 21))
    assert heard == sorted(heard)
    assert again(webhook).paused_at is None


def test_after_72_hours_it_is_paused_and_nothing_is_lost(company, receiver):
    _, webhook = made(company, receiver)
    first = change(company, "Anna")
    receiver.answers = lambda request: 500
    clock = Clock()
    began = clock()
    while (current := again(webhook)).paused_at is None:
        clock.now = current.next_try_at or clock()
        send(clock)
    assert current.paused_at - began == timedelta(hours=72)
    assert current.paused_because == Webhook.Pause.FAILING
    last = change(company, "Boris", "Clara")
    clock.now += timedelta(days=30)
    assert not claims.any_due(clock())
    receiver.answers, receiver.requests[:] = lambda request: 204, []
    actions.resume(webhook_id=webhook.webhook_id, actor="test")
    assert send(clock) == (3, 0, False)
    assert receiver.captures == list(range(first, last + 1))


def test_410_pauses_at_once(company, receiver):
    _, webhook = made(company, receiver)
    change(company, "Anna")
    receiver.answers = lambda request: 410
    send()
    assert again(webhook).paused_because == Webhook.Pause.GONE
    assert len(receiver.requests) == 1


def test_a_receiver_that_asks_for_time_gets_it(company, receiver):
    _, webhook = made(company, receiver)
    change(company, "Anna")
    receiver.answers = lambda request: (429, {"retry-after": "600"})
    clock = Clock()
    send(clock)
    assert again(webhook).next_try_at == clock() + timedelta(minutes=10)


def test_one_that_cannot_be_sent_to_does_not_hold_up_another(company, receiver, settings):
    """A URL that is no longer allowed, or a secret that nobody can open: failed tries, each with its own failure."""
    _, good = made(company, receiver)
    _, bad = made(company, receiver)
    _, sealed = made(company, receiver)
    Webhook.objects.filter(webhook_id=bad.webhook_id).update(url="ftp://example.com/")
    Webhook.objects.filter(webhook_id=sealed.webhook_id).update(secret="gAAAA")
    change(company, "Anna")
    assert send() == (1, 2, False)
    assert [attempts(each)[0].failure for each in (good, bad, sealed)] == ["", "address", "secret"]
    assert all(each.get_failure_display() for each in attempts(bad))


def test_what_is_not_public_is_not_sent_to(company, receiver, settings):
    settings.WEBHOOK_ALLOW_PRIVATE = False
    _, webhook = made(company, receiver)
    change(company, "Anna")
    assert send() == (0, 1, False)
    assert attempts(webhook)[0].failure == "not public"
    assert receiver.requests == []


def test_a_slow_receiver_holds_up_nobody(company, receiver):
    """While one receiver does not answer, another, of another company, gets change after change."""
    other = make_present_company("Other")
    answered = threading.Event()

    def late(request):
        answered.wait(10)  # a moment before the try itself ends
        answered.set()
        return 204

    with made_receiver(answers=late) as slow:
        made(company, slow)
        made(other, receiver)
        change(company, "Anna")
        change(other, "Boris", "Clara")
        seen: list[bool] = []

        def clock():
            """Called for each try: once the fast receiver has both events, the slow one may answer."""
            if len(receiver.requests) == 2 and not seen:
                seen.append(answered.is_set())
                answered.set()
            return present()

        assert send(clock) == (3, 0, False)
    assert seen == [False]
    assert len(slow.requests) == 1


def test_many_slow_receivers_are_waited_for_at_once(company, receiver):
    together = threading.Barrier(12)

    def late(request):
        together.wait(10)
        return 204

    receiver.answers = late
    for _ in range(12):
        made(company, receiver)
    change(company, "Anna")
    assert send() == (12, 0, False)


def test_a_try_that_a_dead_worker_began_is_repeated_once_its_lease_is_over(company, receiver):
    _, webhook = made(company, receiver)
    number = change(company, "Anna")
    clock = Clock()
    assert len(list(claims.claim(clock(), 10))) == 1  # and then the worker dies
    assert send(clock) == (0, 0, False)
    clock.now += claims.LEASE
    assert send(clock) == (1, 0, False)
    assert receiver.captures == [number]
    assert again(webhook).capture_sequence == number


def test_what_a_worker_writes_down_too_late_changes_nothing(company, receiver):
    """Its lease was over and another worker had the webhook; or it was replayed, or removed, while it sent."""
    _, webhook = made(company, receiver)
    change(company, "Anna", "Boris")
    clock = Clock()
    (late,) = claims.claim(clock(), 10)
    clock.now += claims.LEASE
    (current,) = claims.claim(clock(), 10)
    answer = Answer(204, "", 5)
    claims.settle(late, answer, clock(), clock())
    assert again(webhook).capture_sequence == webhook.capture_sequence
    assert attempts(webhook) == []
    actions.replay(webhook_id=webhook.webhook_id, from_capture=1, actor="test")
    claims.settle(current, answer, clock(), clock())
    assert again(webhook).capture_sequence == 0
    assert len(attempts(webhook)) == 1
    (current,) = claims.claim(clock(), 10)
    actions.remove(webhook_id=webhook.webhook_id, actor="test")
    claims.settle(current, answer, clock(), clock())
    assert attempts(webhook) == []


def test_pausing_while_a_try_is_under_way_lets_it_count(company, receiver):
    _, webhook = made(company, receiver)
    number = change(company, "Anna")
    (claimed,) = claims.claim(present(), 10)
    actions.pause(webhook_id=webhook.webhook_id, at=present(), actor="test")
    claims.settle(claimed, Answer(500, "status", 5), present(), present())
    assert again(webhook).paused_because == Webhook.Pause.STAFF
    assert again(webhook).failures == 1
    actions.resume(webhook_id=webhook.webhook_id, actor="test")
    assert send() == (1, 0, False)
    assert receiver.captures == [number]


def test_looking_costs_two_statements_however_many_there_are(company, receiver, settings):
    """On a cluster the second statement runs once per node, and a third finds the companies' nodes."""
    for _ in range(3):
        made(company, receiver)
    change(company, "Anna")
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            assert claims.any_due(present())
        assert len(asked) == _nodes_with_companies() + (2 if settings.CLUSTER else 1)
        for _ in range(8):
            made(company, receiver, from_capture=1)


def _nodes_with_companies():
    """The number of nodes with companies; one where there is a single server."""
    return len(nodes.fetch("SELECT DISTINCT 1 FROM tenancy_organization o WHERE " + nodes.of("o.organization_id")))


def test_workers_that_send_at_once_send_each_event_once(committed, receiver):
    company = make_present_company()
    made(company, receiver)
    numbers = [change(company, f"Person {number}") for number in range(8)]
    runs = []

    def work():
        runs.append(send())
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sum(each.sent for each in runs) == 8
    assert receiver.captures == numbers
