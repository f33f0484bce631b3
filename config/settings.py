"""Django's settings, from the environment (config/environment.py).

ENVIRONMENT is `live` (production) or `test` (everything else: the demo, development, the suite).
"""

import os
from pathlib import Path

from celery.schedules import crontab
from kombu.entity import Exchange, Queue

from config import logs, processes
from config.console import *  # noqa: F403
from config.databases import database
from config.environment import ROOT, read

environment = read()
FOLDER = environment.COMPLIANCE_FOLDER
ENVIRONMENT = environment.ENVIRONMENT
PRODUCTION = ENVIRONMENT == "live"
DEBUG = False

SECRET_KEY = environment.SECRET_KEY
CURSOR_KEYS = environment.CURSOR_KEYS  # newest first: the others still open
BASE_URL = environment.BASE_URL
ALLOWED_HOSTS = environment.ALLOWED_HOSTS
CSRF_TRUSTED_ORIGINS = [BASE_URL]
TRUSTED_PROXIES = environment.TRUSTED_PROXIES
WEB_WORKERS_STAY = environment.WEB_WORKER_PROCESSORS == "one"

# Where weaknesses are reported: https:, mailto: or tel: addresses, the preferred one first (RFC 9116, 2.5.3).
SECURITY_CONTACT = environment.SECURITY_CONTACT

RATE_LIMIT_KEY_PER_MINUTE = environment.RATE_LIMIT_KEY_PER_MINUTE
RATE_LIMIT_COMPANY_PER_MINUTE = environment.RATE_LIMIT_COMPANY_PER_MINUTE
RATE_LIMIT_SOURCE_PER_MINUTE = environment.RATE_LIMIT_SOURCE_PER_MINUTE
RATE_LIMIT_ADDRESS_PER_MINUTE = environment.RATE_LIMIT_ADDRESS_PER_MINUTE
CONCURRENT_LIMIT = environment.CONCURRENT_LIMIT
# Fewer than the threads that a process has for /v1 (serving.front), so that one company cannot hold them all.
CONCURRENT_LIMIT_COMPANY = environment.CONCURRENT_LIMIT_COMPANY
WRITER_LAG_SECONDS = environment.WRITER_LAG_SECONDS
READ_TIMEOUT_MILLISECONDS = environment.READ_TIMEOUT_MILLISECONDS

INSTALLED_APPS = [
    "compliance.interfaces.commands",  # before Django's: its commands replace those of the same name
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
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "django_structlog",
    "compliance.tenancy",
    "compliance.files",
    "compliance.facts.ledger",
    "compliance.facts.people",
    "compliance.facts.courses",
    "compliance.facts.shares",
    "compliance.facts.training",
    "compliance.facts.certificates",
    "compliance.facts.policies",
    "compliance.access",
    "compliance.history",
    "compliance.log",
    "compliance.learning",
    "compliance.letters",
    "compliance.provisioning",
    "compliance.webhooks",
    "compliance.interfaces.console",
    "compliance.interfaces.console.sign_in",
    "compliance.interfaces.console.understand",
    "compliance.interfaces.console.evidence",
    "compliance.interfaces.console.exports",
    "compliance.interfaces.console.reports",
    "compliance.interfaces.pages",
    "compliance.interfaces.learner",
    "compliance.interfaces.operations",
]

MIDDLEWARE = [
    "compliance.interfaces.pages.answered.Answered",  # first: every answer names its request
    "compliance.interfaces.api.gate.Gate",  # APIs go no further, and no key in a URL gets past it
    "compliance.interfaces.serving.refusals.RefusedBodies",
    "compliance.interfaces.serving.downloads.CompressedDownloads",
    "csp.middleware.CSPMiddleware",  # before files are served: they bear the policy too
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "compliance.interfaces.pages.private_paths.PrivatePathsRequestMiddleware",
    "compliance.interfaces.pages.spoken.Spoken",
    "compliance.interfaces.console.languages.Spoken",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "compliance.interfaces.console.sign_in.guard.Guard",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {
                "offline": "compliance.interfaces.learner.offline.tags",
                "player": "compliance.interfaces.player.tags",
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "compliance.interfaces.console.languages.offered",
            ],
        },
    }
]

# Each process connects as its own role, or as `app`; only migrations connect as `owner` (`manage.py migrate` chooses it
# by itself, and a process of the role `owner` knows no other).
_TIMEOUT, _PATIENCE = environment.STATEMENT_TIMEOUT_MILLISECONDS, environment.DATABASE_PATIENCE_SECONDS
CLUSTER = environment.CLUSTER == "1"
CLUSTER_ADMINISTRATOR_URL = environment.CLUSTER_ADMINISTRATOR_URL
DATABASES = {"default": database(environment.DATABASE_URL, _TIMEOUT, cluster=CLUSTER, patience_seconds=_PATIENCE)}
if environment.DATABASE_OWNER_URL:
    DATABASES["owner"] = database(
        environment.DATABASE_OWNER_URL, _TIMEOUT, cluster=CLUSTER, patience_seconds=_PATIENCE
    ) | {
        "CONN_MAX_AGE": 0,
        "TEST": {"MIRROR": "default"},
    }
READ_DATABASE_URLS = environment.READ_DATABASE_URLS  # of standbys; not in DATABASES, as Django does not know pins
DATABASE_ROUTERS: list[str] = []
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = environment.REDIS_URL
# What the signer has signed, outside the database; newest key first, the others still verify.
LOG_FOLDER = environment.LOG_FOLDER
LOG_ORIGIN = environment.LOG_ORIGIN
LOG_WITNESSES = environment.LOG_WITNESSES
LOG_QUORUM = environment.LOG_QUORUM
CHECKPOINT_KEYS = environment.CHECKPOINT_KEY
CHECKPOINT_VERIFIER_KEYS = environment.CHECKPOINT_VERIFIER_KEY
ERASURE_LIST = environment.ERASURE_LIST  # outside the database
WEBHOOK_ALLOW_PRIVATE = environment.WEBHOOK_ALLOW_PRIVATE == "1"

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
# The languages of the learners' pages; the console has those with a catalogue of its own. Each of the two chooses its
# language by itself (interfaces/learner/visit.py, interfaces/console/languages.py); everything else is in English.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("fr", "Français"), ("es", "Español"), ("ar", "العربية")]
# These come before all others: in a library's catalogue the same English word may mean something else.
LOCALE_PATHS = [ROOT / "compliance" / "interfaces" / name / "locale" for name in ("learner", "console")]
STATIC_URL = "/static/"
STATIC_ROOT = Path(environment.STATIC_FOLDER)
if not PRODUCTION:  # whitenoise warns of a missing folder; `collectstatic` fills it
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
# Files that companies keep: read by web, written by web and worker. Each file's row states in which of these two places
# it is, so that files can be moved while the service runs (compliance/files).
FILES_FOLDER = environment.FILES_FOLDER
FILES_PLACE = environment.FILES_PLACE
USES_FILES = processes.holds(environment.PROCESS_ROLE, "FILES_SECRET_KEY")
# Exports of earlier versions are in a storage of their own, until they are moved or expire.
_IN_FOLDER = {
    "location": environment.EXPORTS_FOLDER,
    "file_permissions_mode": 0o600,
    "directory_permissions_mode": 0o700,
}
STORAGES: dict[str, dict[str, object]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "folder": {"BACKEND": "compliance.files.folder.FolderStorage", "OPTIONS": {"location": FILES_FOLDER}},
    "exports": {
        "BACKEND": environment.EXPORTS_STORAGE,
        "OPTIONS": environment.EXPORTS_STORAGE_OPTIONS
        or (_IN_FOLDER if environment.EXPORTS_STORAGE.endswith(".FileSystemStorage") else {}),
    },
}
if environment.FILES_BUCKET:
    STORAGES["bucket"] = {
        "BACKEND": "compliance.files.bucket.BucketStorage",
        "OPTIONS": {
            "bucket": environment.FILES_BUCKET,
            "endpoint": environment.FILES_ENDPOINT,
            "region": environment.FILES_REGION,
            "access_key": environment.FILES_ACCESS_KEY,
            "secret_key": environment.FILES_SECRET_KEY,
            "encryption": environment.FILES_ENCRYPTION,
            "patience": float(environment.FILES_SECONDS),
        },
    }
STATICFILES_DIRS = [ROOT / "compliance" / "interfaces" / "static"]

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SECURE = PRODUCTION
if PRODUCTION:
    # A browser accepts such names only over TLS and from this host itself: no other host of the domain can set them.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
# /v1 refuses plain HTTP itself (api.gate); pages are sent on to HTTPS. Health checks come from inside, without TLS.
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
APPEND_SLASH = False
CSRF_FAILURE_VIEW = "compliance.interfaces.console.sign_in.kept_forms.old_token"
# Every page of every interface.
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

# Letters: reminders, and messages to staff about their accounts.
# Outside production they are written to a folder, and no reminders are sent unless REMINDERS is on.
REMINDERS = environment.REMINDERS == "on"
DEFAULT_FROM_EMAIL = environment.EMAIL_FROM
EMAIL_BACKEND = f"{'django.core.mail.backends.smtp' if PRODUCTION else 'compliance.letters.mailbox'}.EmailBackend"
EMAIL_FILE_PATH = str(FOLDER / "letters")
EMAIL_HOST = environment.EMAIL_HOST
EMAIL_PORT = environment.EMAIL_PORT
EMAIL_HOST_USER = environment.EMAIL_HOST_USER
EMAIL_HOST_PASSWORD = environment.EMAIL_HOST_PASSWORD
# By its registration, this port has TLS from the first byte; a client that begins without it waits in vain.
EMAIL_USE_SSL = PRODUCTION and EMAIL_PORT == 465
EMAIL_USE_TLS = PRODUCTION and not EMAIL_USE_SSL
EMAIL_TIMEOUT = 20

CELERY_BROKER_URL = REDIS_URL
CELERY_RESULT_BACKEND = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# What waits behind a long task stays in the broker. One that a worker had taken would be handed out again, before all
# others, after `visibility_timeout`, and so again and again.
CELERY_WORKER_DISABLE_PREFETCH = True
CELERY_TASK_TIME_LIMIT = 600
CELERY_TASK_SOFT_TIME_LIMIT = 540
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # Redis comes back: never give up
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True  # they are handed out again, and safe to repeat
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 900,
    # Sending a task is given up soon when Redis is away: what was recorded is pending, and the sweep finds it.
    "socket_connect_timeout": 1,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.1,
}
# Scheduled tasks have a queue of their own, and workers take from the queues in turn: a backlog of captures never
# delays the sweep. Tasks that may take hours have one too: with workers of its own it never delays captures. So do
# letters: they wait for a mail server, and people wait for them.
CELERY_TASK_QUEUES = (
    Queue("celery", Exchange("celery"), routing_key="celery"),
    Queue("timed", Exchange("timed"), routing_key="timed"),
    Queue("long", Exchange("long"), routing_key="long"),
    Queue("letters", Exchange("letters"), routing_key="letters"),
    Queue("webhooks", Exchange("webhooks"), routing_key="webhooks"),
)
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_ROUTES = {
    "compliance.history.sweep": {"queue": "timed", "routing_key": "timed"},
    "compliance.history.sweep_company": {"queue": "timed", "routing_key": "timed"},
    "compliance.operations.verify": {"queue": "long", "routing_key": "long"},
    "compliance.operations.verify_log": {"queue": "long", "routing_key": "long"},
    "compliance.operations.verify_access_log": {"queue": "long", "routing_key": "long"},
    "compliance.operations.remind": {"queue": "long", "routing_key": "long"},
    # One for each company, which must not wait before the next sweep.
    "compliance.operations.tidy_company": {"queue": "long", "routing_key": "long"},
    "compliance.operations.*": {"queue": "timed", "routing_key": "timed"},
    "compliance.evidence.*": {"queue": "long", "routing_key": "long"},  # packs lie on the disk of this queue's workers
    "compliance.exports.run": {"queue": "long", "routing_key": "long"},
    "compliance.reports.make": {"queue": "long", "routing_key": "long"},
    "compliance.reports.run": {"queue": "long", "routing_key": "long"},
    "compliance.reports.look": {"queue": "timed", "routing_key": "timed"},
    "compliance.exports.look": {"queue": "timed", "routing_key": "timed"},
    "compliance.console.count": {"queue": "long", "routing_key": "long"},
    "compliance.console.send_waiting": {"queue": "timed", "routing_key": "timed"},
    "compliance.console.run_job": {"queue": "long", "routing_key": "long"},
    "compliance.understand.refresh": {"queue": "long", "routing_key": "long"},
    "compliance.sign_in.send_letters": {"queue": "letters", "routing_key": "letters"},
    "compliance.learner.*": {"queue": "timed", "routing_key": "timed"},
    "compliance.files.*": {"queue": "long", "routing_key": "long"},  # may wait for a storage that is away
    "compliance.sign_in.tidy": {"queue": "timed", "routing_key": "timed"},
    "compliance.letters.look_all": {"queue": "timed", "routing_key": "timed"},
    "compliance.letters.*": {"queue": "letters", "routing_key": "letters"},
    "compliance.webhooks.look": {"queue": "timed", "routing_key": "timed"},
    "compliance.webhooks.*": {"queue": "webhooks", "routing_key": "webhooks"},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(FOLDER / "celerybeat-schedule")
SWEEP_SECONDS = environment.SWEEP_SECONDS
TICK_EXPIRES_SECONDS = max(SWEEP_SECONDS, 60)  # of a sweep and the tasks that it sends: the next sweep sends them again
CELERY_BEAT_SCHEDULE = {
    # A scheduled task that no worker has taken when the next one is due is dropped: the next one does its work.
    "sweep": {
        "task": "compliance.history.sweep",
        "schedule": float(SWEEP_SECONDS),
        "options": {"expires": TICK_EXPIRES_SECONDS},
    },
    "reminders": {
        "task": "compliance.operations.remind_all",
        "schedule": crontab(minute=10),
        "options": {"expires": 3600},
    },
    "tidy": {"task": "compliance.operations.tidy", "schedule": crontab(minute=40), "options": {"expires": 3600}},
    "letters": {"task": "compliance.sign_in.send_letters", "schedule": 60.0, "options": {"expires": 60}},
    "letters to learners": {
        "task": "compliance.letters.look_all",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "webhooks": {"task": "compliance.webhooks.look", "schedule": 5.0, "options": {"expires": 5}},
    "link requests": {"task": "compliance.learner.answer_waiting", "schedule": 60.0, "options": {"expires": 60}},
    "tidy sign-in": {"task": "compliance.sign_in.tidy", "schedule": crontab(minute=45), "options": {"expires": 3600}},
    "evidence": {"task": "compliance.evidence.forget", "schedule": crontab(minute=50), "options": {"expires": 3600}},
    "exports": {"task": "compliance.exports.look", "schedule": 300.0, "options": {"expires": 300}},
    "files": {"task": "compliance.files.clear_all", "schedule": crontab(minute=20), "options": {"expires": 3600}},
    "files without rows": {
        "task": "compliance.files.clear_orphans_all",
        "schedule": crontab(hour=4, minute=15),
        "options": {"expires": 24 * 3600},
    },
    "reports": {"task": "compliance.reports.look", "schedule": 300.0, "options": {"expires": 300}},
    "waiting jobs": {"task": "compliance.console.send_waiting", "schedule": 600.0, "options": {"expires": 600}},
    "standing": {
        "task": "compliance.understand.refresh_all",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "verify nightly": {
        "task": "compliance.operations.verify_all",
        "schedule": crontab(hour=2, minute=30),
        "options": {"expires": 24 * 3600},
    },
}

LOG_LEVEL = environment.LOG_LEVEL
LOG_FORMAT = environment.LOG_FORMAT
LOGGING = logs.configuration(LOG_LEVEL, LOG_FORMAT)
logs.set_up_structlog()
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True  # upstream is our own `Answered`, which takes no outsider's id over
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
METRICS_PORT = environment.METRICS_PORT
# Where the web processes write their counters; without it requests are not counted across processes.
METRICS_FOLDER = environment.METRICS_FOLDER
if METRICS_FOLDER:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = METRICS_FOLDER  # read when prometheus_client is imported

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["compliance.interfaces.api.rendering.JsonRenderer"],
    "EXCEPTION_HANDLER": "compliance.interfaces.api.handling.handle",
    "DEFAULT_PARSER_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Company Compliance Records API",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}
