"""The product's settings with the peers beside it. Only the benchmark uses them."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as _OURS

INSTALLED_APPS = [*_OURS, "simple_history", "pgtrigger", "pghistory", "benchmarks.peers"]
ROOT_URLCONF = "benchmarks.urls"
RATE_LIMIT_KEY_PER_MINUTE = RATE_LIMIT_COMPANY_PER_MINUTE = RATE_LIMIT_SOURCE_PER_MINUTE = (
    RATE_LIMIT_ADDRESS_PER_MINUTE
) = 100_000_000
CONCURRENT_LIMIT = 10_000
PGTRIGGER_MIGRATIONS = False
PGTRIGGER_INSTALL_ON_MIGRATE = False
