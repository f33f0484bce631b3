#!/bin/sh
# Run this once on the primary, as its superuser. It makes the role `replicator`, which can copy the server but read no
# table, its line in pg_hba.conf, and a slot that keeps up to 8 GB for the standby to fetch. It may be run again.
#   REPLICATOR_PASSWORD=... [PGUSER=postgres PGHOST=... PGPORT=...] sh deploy/standby/prepare.sh
set -eu
: "${REPLICATOR_PASSWORD:?}"
export PGUSER="${PGUSER:-postgres}" PGDATABASE="${PGDATABASE:-postgres}"
psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 <<'SQL'
\getenv password REPLICATOR_PASSWORD
SELECT 'CREATE ROLE replicator' WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'replicator') \gexec
SELECT format('ALTER ROLE replicator LOGIN REPLICATION NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB PASSWORD %L',
  :'password') \gexec
SELECT format('SELECT pg_create_physical_replication_slot(%L)', 'standby')
WHERE NOT EXISTS (SELECT 1 FROM pg_replication_slots WHERE slot_name = 'standby') \gexec
ALTER SYSTEM SET max_slot_wal_keep_size = '8GB';
SQL
file=$(psql --no-align --tuples-only --command 'SHOW hba_file')
grep -q '^host replication replicator ' "$file" || echo 'host replication replicator samenet scram-sha-256' >>"$file"
psql --quiet --no-align --tuples-only --command 'SELECT pg_reload_conf()' >/dev/null
