"""Settings, URLs and the entry points of web and worker."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
