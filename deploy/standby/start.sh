#!/bin/sh
# Copies the primary the first time, and follows it from then on. PGDATA is the folder of the copy.
#   PRIMARY_HOST=... [PRIMARY_PORT=5432] REPLICATOR_PASSWORD=... PGDATA=... sh deploy/standby/start.sh [OPTIONS OF postgres]
# Settings from the primary's command line are not copied. PostgreSQL does not start a standby whose max_connections is
# smaller than the primary's (200 in compose.yaml), so state it: `start.sh -c max_connections=200`.
set -eu
: "${PRIMARY_HOST:?}" "${REPLICATOR_PASSWORD:?}" "${PGDATA:?}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until PGPASSWORD="$REPLICATOR_PASSWORD" pg_basebackup --host="$PRIMARY_HOST" --port="${PRIMARY_PORT:-5432}" \
    --username=replicator --pgdata="$PGDATA" --slot=standby --wal-method=stream --checkpoint=fast --write-recovery-conf; do
    # Removes what a killed pg_basebackup left; otherwise it removes its files itself. Nothing else is deleted, because
    # PGDATA may be mistyped.
    if [ -f "$PGDATA/backup_label" ]; then find "$PGDATA" -mindepth 1 -delete; fi
    echo "The primary cannot be copied yet; has prepare.sh been run there?" >&2
    sleep 5
  done
  chmod 0700 "$PGDATA"
fi
# A read may delay the replay by two seconds; then it is cancelled, and the primary answers it.
exec postgres -c hot_standby=on -c max_standby_streaming_delay=2s -c wal_receiver_status_interval=1s "$@"
