#!/bin/sh
# A consistent copy of the database, and of the files that live outside it: backup.sh FOLDER
# Needs DATABASE_OWNER_URL, ERASURE_LIST, LOG_FOLDER, FILES_FOLDER (where files are in a folder), and pg_dump of the server's version or newer. The dump holds
# personal data: encrypt it where it rests. Each backup wants a folder of its own; one without SHA256SUMS was not
# finished, and one without database.dump may be named again. Of a cluster all nodes must answer.
set -eu
folder=$1
if [ -e "$folder/database.dump" ]; then
  echo "$folder holds a backup already. Name a new folder." >&2
  exit 1
fi
. "$(dirname "$0")/owner_connection.sh"
# The owner reads every company's rows: of tables that bind the owner too, by the policy `backup`. Without it a dump under
# row-level security would quietly lack their rows.
hidden=$(psql --dbname="$DATABASE_OWNER_URL" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command="
  SELECT string_agg(c.relname, ', ' ORDER BY c.relname) FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relrowsecurity AND (
    pg_get_userbyid(c.relowner) <> current_user OR c.relforcerowsecurity AND NOT EXISTS (
      SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'backup' AND p.polpermissive
        AND p.polcmd IN ('r', '*') AND p.polroles = ARRAY[c.relowner] AND pg_get_expr(p.polqual, c.oid) = 'true')
    OR EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND NOT p.polpermissive))")
if [ -n "$hidden" ]; then
  echo "No backup: rows of $hidden are hidden from this role. Run manage.py migrate, and see docs/operations.md." >&2
  exit 1
fi
mkdir -p "$folder"
chmod 700 "$folder"
# A folder that is named and not there may be a typing error, or a disk that is not mounted.
if [ -n "${FILES_FOLDER:-}" ] && [ ! -d "$FILES_FOLDER" ]; then echo "No files in this backup: there is no $FILES_FOLDER." >&2; fi
if [ -n "${LOG_FOLDER:-}" ] && [ ! -f "$LOG_FOLDER/lock" ]; then
  echo "No log in this backup: nothing was signed in $LOG_FOLDER." >&2
fi
unfinished=$folder/database.dump.unfinished
trap 'rm -f "$unfinished"' EXIT
pg_dump --format=custom --no-owner --enable-row-security --file="$unfinished" "$DATABASE_OWNER_URL"
# Copied after the dump: both may know more than the dump does, never less.
if [ -n "${ERASURE_LIST:-}" ] && [ -f "$ERASURE_LIST" ]; then cp -p "$ERASURE_LIST" "$folder/"; fi
# After the dump too: a file that the dump knows is there unless it was let go of since; what is being written is left out.
if [ -n "${FILES_FOLDER:-}" ] && [ -d "$FILES_FOLDER" ]; then
  tar --create --file="$folder/files.tar" --directory="$FILES_FOLDER" --exclude='.[!/]*' --warning=no-file-changed \
    --warning=no-file-removed . || [ $? -eq 1 ]  # 1: a file went while it was read
fi
if [ -n "${LOG_FOLDER:-}" ] && [ -f "$LOG_FOLDER/lock" ]; then
  flock --shared "$LOG_FOLDER/lock" cp -pR "$LOG_FOLDER/." "$folder/log"  # between two signings
fi
mv "$unfinished" "$folder/database.dump"
( cd "$folder" && find . -type f ! -name SHA256SUMS -exec sha256sum -- {} + > SHA256SUMS )
