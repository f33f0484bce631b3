"""What must hold when several processes or threads get requests at the same time."""

import os
import subprocess
import sys
import threading
import uuid

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from compliance.interfaces.console.sign_in import codes, lock_out
from tests.interfaces.console.conftest import PASSWORD
from tests.interfaces.console.sign_in.people import code, give_app

_PROCESS = """
import sys, django
django.setup()
from allauth.mfa.models import Authenticator
from compliance.interfaces.console.sign_in import codes
print(codes.use(Authenticator.objects.get(pk=sys.argv[1]), sys.argv[2]))
"""


def test_a_code_serves_once_for_all_processes(committed, process_environment, settings):
    user = User.objects.create_user(f"olga-{uuid.uuid4().hex[:8]}", password=PASSWORD)
    try:
        secret = give_app(user)
        app = Authenticator.objects.get(user=user)
        shown = code(secret, 1)
        environment = process_environment | {"DJANGO_SETTINGS_MODULE": "config.settings"}
        environment["SECOND_FACTOR_KEYS"] = ",".join(settings.SECOND_FACTOR_KEYS)
        command = [sys.executable, "-c", _PROCESS, str(app.pk), shown]
        others = [
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=os.getcwd())
            for _ in range(3)
        ]
        said = [process.communicate(timeout=60)[0].strip() for process in others]
        assert sorted(said) == ["False", "False", "True"]
        assert codes.use(app, shown) is False
    finally:
        user.delete()


def test_of_simultaneous_uses_of_a_code_one_is_right(committed):
    user = User.objects.create_user(f"olga-{uuid.uuid4().hex[:8]}", password=PASSWORD)
    try:
        app = Authenticator.objects.get(pk=_app_of(user))
        said: list[bool] = []
        gate = threading.Barrier(6)

        def use() -> None:
            gate.wait()
            said.append(codes.spend(app, 1_000_000))
            connection.close()

        threads = [threading.Thread(target=use) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(said) == [False] * 5 + [True]
    finally:
        user.delete()


def _app_of(user: User) -> int:
    give_app(user)
    return int(Authenticator.objects.get(user=user).pk)


def test_no_guess_slips_through_under_simultaneous_ones(committed):
    counts = lock_out.in_session(str(uuid.uuid4()))
    said: list[bool] = []
    gate = threading.Barrier(8)

    def guess() -> None:
        gate.wait()
        for _ in range(5):
            said.append(lock_out.count(counts, timezone.now()))
        connection.close()

    threads = [threading.Thread(target=guess) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lock_out.was_right(counts)
    assert said.count(True) == lock_out.GUESSES_FOR_ONE_NAME
