"""Django's settings, all from the environment (design 9). Production refuses what is unsafe.

ENVIRONMENT is `live` (production) or `test` (everything else: the demo, development, the suite).
"""

import os
from pathlib import Path

from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Exchange, Queue

from config import environment, logs
from config.console import *  # noqa: F403

ROOT = environment.ROOT
FOLDER = environment.FOLDER
ENVIRONMENT = environment.text("ENVIRONMENT", "test")
if ENVIRONMENT not in ("live", "test"):
    raise ImproperlyConfigured("ENVIRONMENT is live or test.")
PRODUCTION = ENVIRONMENT == "live"
DEBUG = False

SECRET_KEY = environment.secret("SECRET_KEY", PRODUCTION)
CURSOR_KEYS = environment.keys("CURSOR_KEYS", PRODUCTION)  # newest first: the others still open
BASE_URL = environment.text("BASE_URL", None if PRODUCTION else "http://127.0.0.1:8000").rstrip("/")
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS", "" if PRODUCTION else "127.0.0.1,localhost,testserver")
CSRF_TRUSTED_ORIGINS = [BASE_URL]
TRUSTED_PROXIES = environment.words("TRUSTED_PROXIES")
if PRODUCTION and not BASE_URL.startswith("https://"):
    raise ImproperlyConfigured("Production needs BASE_URL to begin with https://.")
if PRODUCTION and (not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS):
    raise ImproperlyConfigured("Production needs ALLOWED_HOSTS: the host names it answers to, without *.")

RATE_LIMIT_KEY_PER_MINUTE = environment.number("RATE_LIMIT_KEY_PER_MINUTE", 600)
RATE_LIMIT_COMPANY_PER_MINUTE = environment.number("RATE_LIMIT_COMPANY_PER_MINUTE", 1200)
RATE_LIMIT_ADDRESS_PER_MINUTE = environment.number("RATE_LIMIT_ADDRESS_PER_MINUTE", 600)
CONCURRENT_LIMIT = environment.number("CONCURRENT_LIMIT", 8)
WRITER_LAG_SECONDS = environment.number("WRITER_LAG_SECONDS", 300)
READ_TIMEOUT_MILLISECONDS = environment.number("READ_TIMEOUT_MILLISECONDS", 10_000)

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "django_structlog",
    "compliance.tenancy",
    "compliance.facts.pending",
    "compliance.facts.people",
    "compliance.facts.courses",
    "compliance.facts.shares",
    "compliance.facts.training",
    "compliance.facts.certificates",
    "compliance.facts.policies",
    "compliance.access",
    "compliance.history",
    "compliance.interfaces.console",
    "compliance.interfaces.console.understand",
    "compliance.interfaces.console.evidence",
    "compliance.interfaces.pages",
    "compliance.interfaces.commands",
    "compliance.interfaces.operations",
    "compliance.demo",
]

MIDDLEWARE = [
    "compliance.interfaces.api.gate.Gate",  # first: /v1 goes no further, and no key in a URL gets past it
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "compliance.interfaces.pages.private_paths.PrivatePathsRequestMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "compliance.interfaces.console.sign_in.guard.Guard",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# Everything runs as the role `app`; only migrations connect as `owner` (`manage.py migrate` chooses it by itself).
DATABASES = {"default": environment.database(environment.text("DATABASE_URL"))}
_owner = environment.text("DATABASE_OWNER_URL", "")
if _owner:
    DATABASES["owner"] = environment.database(_owner) | {"CONN_MAX_AGE": 0, "TEST": {"MIRROR": "default"}}
DATABASE_ROUTERS: list[str] = []
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = environment.text("REDIS_URL")
# Signed notes of how far each history reached, outside the database; newest key first, the others still check.
CHECKPOINT_FILE = environment.text(
    "CHECKPOINT_FILE", None if PRODUCTION else str(FOLDER / "checkpoints-{deployment_id}.notes")
)
CHECKPOINT_KEYS = environment.keys("CHECKPOINT_KEY", PRODUCTION)
ERASURE_LIST = environment.text("ERASURE_LIST", str(FOLDER / "erasures.jsonl"))  # outside the database

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
STATIC_URL = "/static/"
STATIC_ROOT = Path(environment.text("STATIC_FOLDER", str(FOLDER / "static")))
if not PRODUCTION:  # whitenoise warns of a missing folder; `collectstatic` fills it
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [ROOT / "compliance" / "interfaces" / "static"]

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_SECURE = PRODUCTION
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
# /v1 refuses plain HTTP itself (api.gate); pages are sent on to HTTPS. Health checks come from inside, without TLS.
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
APPEND_SLASH = False
# Every page of every interface; the staff accounts' admin alone loosens it for itself (docs/adr/console.md).
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "media-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024

# Letters: reminders alone. Outside production they lie in a folder, and nobody is reminded unless REMINDERS says so.
REMINDERS = environment.choice("REMINDERS", ("on", "off"), "on" if PRODUCTION else "off") == "on"
DEFAULT_FROM_EMAIL = environment.text("EMAIL_FROM", None if PRODUCTION else "reminders@localhost")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if PRODUCTION else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = str(FOLDER / "letters")
EMAIL_HOST = environment.text("EMAIL_HOST", None if PRODUCTION and REMINDERS else "localhost")
EMAIL_PORT = environment.number("EMAIL_PORT", 587 if PRODUCTION else 25)
EMAIL_HOST_USER = environment.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = environment.text("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = PRODUCTION
EMAIL_TIMEOUT = 20

CELERY_BROKER_URL = REDIS_URL
CELERY_RESULT_BACKEND = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 600
CELERY_TASK_SOFT_TIME_LIMIT = 540
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # Redis comes back: never give up
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True  # they are handed out again, and safe to repeat
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 900,
    # Whoever sends a task gives up soon when Redis is away: what was recorded is pending, and the sweep finds it.
    "socket_connect_timeout": 1,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.1,
}
# Ticks have a queue of their own, which workers look at in turn: captures that pile up never starve the sweep. What may
# take hours, or waits for a mail server, has one too: give it workers of its own, and it never holds up captures.
CELERY_TASK_QUEUES = (
    Queue("celery", Exchange("celery"), routing_key="celery"),
    Queue("timed", Exchange("timed"), routing_key="timed"),
    Queue("long", Exchange("long"), routing_key="long"),
)
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_ROUTES = {
    "compliance.history.sweep": {"queue": "timed", "routing_key": "timed"},
    "compliance.history.sweep_company": {"queue": "timed", "routing_key": "timed"},
    "compliance.operations.verify": {"queue": "long", "routing_key": "long"},
    "compliance.operations.remind": {"queue": "long", "routing_key": "long"},
    "compliance.operations.*": {"queue": "timed", "routing_key": "timed"},
    "compliance.evidence.build": {"queue": "long", "routing_key": "long"},
    "compliance.console.count": {"queue": "long", "routing_key": "long"},
    "compliance.console.run_job": {"queue": "long", "routing_key": "long"},
    "compliance.understand.refresh": {"queue": "long", "routing_key": "long"},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(FOLDER / "celerybeat-schedule")
SWEEP_SECONDS = environment.number("SWEEP_SECONDS", 60)
TICK_EXPIRES_SECONDS = max(SWEEP_SECONDS, 60)  # of a sweep and what it hands out: the next one hands it out again
CELERY_BEAT_SCHEDULE = {
    # A tick that nobody took before the next one is due is not worth keeping: the next does its work.
    "sweep": {
        "task": "compliance.history.sweep",
        "schedule": float(SWEEP_SECONDS),
        "options": {"expires": TICK_EXPIRES_SECONDS},
    },
    "checkpoints": {
        "task": "compliance.operations.write_checkpoints",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "reminders": {"task": "compliance.operations.remind_all", "schedule": crontab(minute=10)},
    "tidy": {"task": "compliance.operations.tidy", "schedule": crontab(minute=40)},
    "evidence": {"task": "compliance.evidence.forget", "schedule": crontab(minute=50)},
    "standing": {
        "task": "compliance.understand.refresh_all",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "verify nightly": {"task": "compliance.operations.verify_all", "schedule": crontab(hour=2, minute=30)},
}

LOG_LEVEL = environment.choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), "INFO" if PRODUCTION else "WARNING")
LOG_FORMAT = environment.choice("LOG_FORMAT", ("json", "plain"), "json" if PRODUCTION else "plain")
LOGGING = logs.configuration(LOG_LEVEL, LOG_FORMAT)
logs.set_up_structlog()
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
METRICS_PORT = environment.number("METRICS_PORT", 9464)
# Where the web processes leave their counters; without it requests are not counted across processes.
METRICS_FOLDER = environment.text("METRICS_FOLDER", "")
if METRICS_FOLDER:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = METRICS_FOLDER  # read when prometheus_client is imported

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Company Compliance Records API",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}
