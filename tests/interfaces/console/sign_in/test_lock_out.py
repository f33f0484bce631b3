"""The lock-out stops guesses, and nobody can use it to lock out somebody else."""

from datetime import timedelta

import pytest
from django.db.models import Max
from django.test import Client
from django.utils import timezone

from compliance.interfaces.console.models import AccessLog, Guess
from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.sign_in import lock_out
from compliance.interfaces.console.sign_in.models import Letter
from tests.interfaces.console.conftest import PASSWORD, begin_session, make_staff
from tests.interfaces.console.sign_in.people import (
    APP,
    CODE,
    FIRST,
    INVITATION,
    SIGN_IN,
    code,
    give_app,
    invite,
    sign_in,
)

pytestmark = pytest.mark.django_db
TOO_MANY = b"Too many wrong tries"


def _guess(user, times, address="198.51.100.7", password="wrong"):
    client = Client(REMOTE_ADDR=address)
    return [sign_in(client, user, password).content for _ in range(times)]


def test_after_five_wrong_passwords_the_right_one_waits_for_the_window_to_end(client):
    user = make_staff("olga", OPERATOR)
    last = AccessLog.objects.aggregate(last=Max("id"))["last"] or 0
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME):
        assert b"do not belong together" in sign_in(client, user, "wrong").content
    assert TOO_MANY in sign_in(client, user).content
    assert client.get("/console/companies/").status_code == 302
    assert AccessLog.objects.filter(page="locked out", id__gt=last).count() == 1
    Guess.objects.update(window_ends_at=timezone.now() - timedelta(seconds=1))
    assert sign_in(client, user).status_code == 302
    assert client.get("/console/companies/").status_code == 200


def test_who_guesses_at_a_name_locks_out_nobody_on_another_network():
    user = make_staff("olga", OPERATOR)
    assert TOO_MANY in _guess(user, 6)[-1]
    assert sign_in(Client(REMOTE_ADDR="203.0.113.9"), user).status_code == 302


def test_a_browser_that_signed_in_before_comes_in_whatever_strangers_guess():
    user = make_staff("olga", OPERATOR)
    own = Client(REMOTE_ADDR="198.51.100.7")
    assert sign_in(own, user).status_code == 302
    own.post("/console/sign-in/out/")
    # From the same network, from fifty others, and more in total than NIST allows for a name.
    for number in range(30):
        _guess(user, 5, f"192.0.2.{number}")
    assert TOO_MANY in _guess(user, 6)[-1]
    assert TOO_MANY in sign_in(Client(REMOTE_ADDR="203.0.113.200"), user).content, "a stranger's browser waits"
    assert sign_in(own, user).status_code == 302
    assert own.get("/console/companies/").status_code == 200


def test_a_known_browser_guesses_no_more_than_a_stranger():
    user = make_staff("olga", OPERATOR)
    own = Client()
    sign_in(own, user)
    own.post("/console/sign-in/out/")
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME):
        sign_in(own, user, "wrong")
    assert TOO_MANY in sign_in(own, user).content


def test_the_cookie_of_one_account_opens_no_door_to_another():
    own = Client()
    sign_in(own, make_staff("mallory", OPERATOR))
    own.post("/console/sign-in/out/")
    user = make_staff("olga", OPERATOR)
    assert TOO_MANY in [sign_in(own, user, "wrong").content for _ in range(6)][-1]
    assert Guess.objects.exists()


def test_an_ipv6_network_is_one_guesser():
    user = make_staff("olga", OPERATOR)
    answers = [_guess(user, 1, f"2001:db8:1:2::{number:x}")[0] for number in range(6)]
    assert TOO_MANY in answers[-1]
    assert b"do not belong" in _guess(user, 1, "2001:db8:1:3::1")[0]


def test_a_name_that_does_not_exist_is_locked_like_one_that_does(client):
    answers = []
    for name in (make_staff("olga", OPERATOR).username, "nobody"):
        texts = [
            client.post(SIGN_IN, {"login": name, "password": "wrong"}).content.decode().replace(name, "NAME")
            for _ in range(lock_out.GUESSES_FOR_ONE_NAME + 1)
        ]
        answers.append([("Too many" in text, "do not belong" in text) for text in texts])
    assert answers[0] == answers[1]
    assert answers[0][-1] == (True, False)


def test_a_right_password_forgives_the_name_but_not_the_network():
    user = make_staff("olga", OPERATOR)
    address = "198.51.100.7"
    for number in range(lock_out.GUESSES_FROM_ONE_NETWORK - 1):
        Client(REMOTE_ADDR=address).post(SIGN_IN, {"login": f"name {number}", "password": "wrong"})
    assert sign_in(Client(REMOTE_ADDR=address), user).status_code == 302
    assert b"do not belong" in _guess(user, 1, address)[0]
    assert TOO_MANY in sign_in(Client(REMOTE_ADDR=address), user).content


def test_the_counts_hold_no_name_and_no_address():
    _guess(make_staff("olga", OPERATOR), 1, "198.51.100.7")
    for subject in Guess.objects.values_list("subject", flat=True):
        assert len(subject) == 64
        assert set(subject) <= set("0123456789abcdef")


def test_guesses_at_codes_are_counted_and_shut_out_nobody_else():
    user = make_staff("olga", OPERATOR)
    user.email = "olga@example.com"
    user.save()
    secret = give_app(user)
    thief = Client(REMOTE_ADDR="198.51.100.7")
    sign_in(thief, user)
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME):
        assert b"not right" in thief.post(CODE, {"code": "000000"}).content
    assert TOO_MANY in thief.post(CODE, {"code": code(secret)}).content
    assert TOO_MANY in thief.post(CODE, {"code": code(secret)}).content
    again = Client(REMOTE_ADDR="198.51.100.7")
    sign_in(again, user)
    assert TOO_MANY in again.post(CODE, {"code": code(secret)}).content, "a new session guesses on"
    assert Letter.objects.filter(kind="wrong codes").count() == 1, "the owner hears of it, once"
    owner = Client(REMOTE_ADDR="203.0.113.9")
    sign_in(owner, user)
    assert owner.post(CODE, {"code": code(secret)}).status_code == 302


def test_codes_are_not_guessed_from_many_networks():
    user = make_staff("olga", OPERATOR)
    secret = give_app(user)
    for number in range(lock_out.CODES_FROM_ANYWHERE):
        client = Client(REMOTE_ADDR=f"192.0.2.{number}")
        sign_in(client, user)
        client.post(CODE, {"code": "000000"})
    client = Client(REMOTE_ADDR="203.0.113.9")
    sign_in(client, user)
    assert TOO_MANY in client.post(CODE, {"code": code(secret)}).content


@pytest.mark.parametrize(
    "path, wrong, right",
    [
        ("password/", {"oldpassword": "wrong"}, {"oldpassword": PASSWORD}),
        ("again/", {"password": "wrong"}, {"password": PASSWORD}),
        ("code/again/", {"code": "000000"}, None),
    ],
)
def test_every_form_of_a_session_that_can_be_guessed_at_is_limited(path, wrong, right):
    user = make_staff("olga", OPERATOR)
    secret = give_app(user)
    new = {"password1": "seven turnips dance at noon", "password2": "seven turnips dance at noon"}
    thief, owner = Client(), Client()
    begin_session(thief, user, second_factor=True)
    begin_session(owner, user, second_factor=True)
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME):
        assert TOO_MANY not in thief.post(SIGN_IN + path, new | wrong).content
    right = right or {"code": code(secret)}
    assert TOO_MANY in thief.post(SIGN_IN + path, new | right).content
    assert owner.post(SIGN_IN + path, new | right).status_code == 302, "another session is not locked out"


def test_the_first_code_of_an_app_is_limited():
    user = make_staff("olga", OPERATOR)
    client = Client()
    begin_session(client, user)
    client.post(FIRST, {"code": invite(user)})
    secret = client.get(APP).context["form"].secret
    for _ in range(lock_out.GUESSES_FOR_ONE_NAME):
        assert TOO_MANY not in client.post(APP, {"code": "000000"}).content
    assert TOO_MANY in client.post(APP, {"code": code(secret)}).content


def test_codes_of_invitations_are_limited():
    client = Client(REMOTE_ADDR="198.51.100.7")
    values = {"code": "a guess", "password1": "x", "password2": "x"}
    answers = [client.post(INVITATION, values).content for _ in range(lock_out.GUESSES_FROM_ONE_NETWORK + 1)]
    assert TOO_MANY not in answers[-2]
    assert TOO_MANY in answers[-1]
