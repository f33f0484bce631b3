#!/bin/sh
# Puts a backup back: restore.sh FOLDER. Stop web, worker and beat first; nothing else may be connected.
# Whatever the database holds goes, tables of a later release too; in one transaction, so a failure leaves all as it was.
# It restores the database alone. ERASURE_LIST and LOG_FOLDER stay as they are, since they know what has happened
# since; copy them from the backup only when the originals are lost. Afterwards: docs/operations.md, `Restore`.
set -eu
folder=$1
( cd "$folder" && sha256sum --check --quiet SHA256SUMS )
{
  echo "SET client_min_messages = warning; BEGIN; DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
  pg_restore --no-owner --exit-on-error --file=- "$folder/database.dump" && echo "COMMIT; SELECT 'committed';"
} | psql --dbname="$DATABASE_OWNER_URL" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 | tail -n 1 | grep -qx committed || {
  echo "Not restored; the database is as it was." >&2
  exit 1
}
echo "Restored. Now: manage.py migrate; manage.py verify_history --checkpoints [--accept]; manage.py replay_erasures"
