"""The Celery application: worker and beat load it, actions send tasks to it by name."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, setup_logging, worker_init
from django_structlog.celery.steps import DjangoStructLogInitStep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("compliance")
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
