"""The Celery application: worker and beat load it, actions send tasks to it by name."""

import os
from typing import Any

from celery import Celery, Task
from celery.signals import beat_init, setup_logging, worker_init
from django_structlog.celery.steps import DjangoStructLogInitStep

from compliance.tenancy import lost

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class AgainWhenLost(Task):
    """A task that is retried when its database was lost; each is safe to repeat. Some have retry settings of their own.

    The connection is closed before that: a server that has become a standby answers reads but refuses a task's writes.
    """

    autoretry_for = lost.ERRORS
    retry_backoff = 2
    retry_backoff_max = 60
    max_retries = 6

    def on_retry(self, exc: BaseException, *_: Any) -> None:
        """Celery calls this before it hands the task out again."""
        if lost.is_lost(exc):
            lost.let_go(exc)

    on_failure = on_retry


app = Celery("compliance", task_cls=AgainWhenLost)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)  # a task logs under the request id of the request that sent it


@worker_init.connect
@beat_init.connect
def refuse_unsafe(**_: Any) -> None:
    """Worker and beat refuse to start where web would."""
    from compliance.interfaces.operations.startup import start_or_exit

    start_or_exit()


@setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Django has set logging up already (config/logs.py); Celery leaves it alone."""
