#!/bin/sh
# A consistent copy of the database, and of the two files that live outside it: backup.sh FOLDER
# Needs DATABASE_OWNER_URL (the owner sees every company), ERASURE_LIST, CHECKPOINT_FILE, and pg_dump of the server's
# version or newer. The dump holds personal data: encrypt it where it rests. Each backup wants a folder of its own; one
# without SHA256SUMS was not finished.
set -eu
folder=$1
if [ -e "$folder/database.dump" ]; then
  echo "$folder holds a backup already. Name a new folder." >&2
  exit 1
fi
mkdir -p "$folder"
chmod 700 "$folder"
pg_dump --format=custom --no-owner --file="$folder/database.dump" "$DATABASE_OWNER_URL"
# Copied after the dump: both may know more than the dump does, never less.
for file in "${ERASURE_LIST:-}" "${CHECKPOINT_FILE:-}" "${CHECKPOINT_FILE:-}.accepted"; do
  if [ -n "$file" ] && [ -f "$file" ]; then cp -p "$file" "$folder/"; fi
done
( cd "$folder" && sha256sum -- * > SHA256SUMS )
