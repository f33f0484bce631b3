#!/bin/sh
# Puts a backup back: restore.sh FOLDER. Stop web, worker and beat first; nothing else may be connected.
# It restores the database alone. ERASURE_LIST and CHECKPOINT_FILE stay as they are, since they know what has happened
# since; copy them from the backup only when the originals are lost. Afterwards: docs/operations.md, `Restore`.
set -eu
folder=$1
( cd "$folder" && sha256sum --check --quiet SHA256SUMS )
pg_restore --clean --if-exists --no-owner --single-transaction --exit-on-error \
  --dbname="$DATABASE_OWNER_URL" "$folder/database.dump"
echo "Restored. Now: manage.py migrate; manage.py verify_history --checkpoints [--accept]; manage.py replay_erasures"
