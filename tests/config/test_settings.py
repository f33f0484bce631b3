"""Settings that have to agree with each other."""

from celery.schedules import crontab
from django.conf import settings

HOUR = 3600


def _seconds_between(schedule: float | crontab) -> float:
    if not isinstance(schedule, crontab):
        return schedule
    assert len(schedule.minute) == 1
    return HOUR if len(schedule.hour) == 24 else 24 * HOUR


def test_a_scheduled_task_that_no_worker_has_taken_is_dropped_when_the_next_one_is_due() -> None:
    kept = {
        name: entry.get("options", {}).get("expires", 0) - _seconds_between(entry["schedule"])
        for name, entry in settings.CELERY_BEAT_SCHEDULE.items()
    }
    # A sweep is kept for a minute where they are more frequent.
    kept["sweep"] -= settings.TICK_EXPIRES_SECONDS - settings.SWEEP_SECONDS
    assert kept == dict.fromkeys(kept, 0)
