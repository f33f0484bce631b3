#!/bin/sh
# Makes a consistent copy of the database, and of the files outside of it: backup.sh FOLDER
# Needs DATABASE_OWNER_URL, ERASURE_LIST, LOG_FOLDER, FILES_FOLDER (if files are kept in a folder), and pg_dump of the
# server's version or newer. The dump contains personal data: store it encrypted. Each backup needs a folder of its own. A
# folder without SHA256SUMS is an unfinished backup; one without database.dump may be used again. On a cluster, all nodes
# must answer.
set -eu
folder=$1
if [ -e "$folder/database.dump" ]; then
  echo "$folder holds a backup already. Name a new folder." >&2
  exit 1
fi
. "$(dirname "$0")/owner_connection.sh"
# The owner reads the rows of every company; in tables whose row-level security applies to the owner too, the policy
# `backup` allows it. Without that policy, a dump would lack their rows without an error.
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
# If a named folder does not exist, its name may be mistyped, or its disk is not mounted.
if [ -n "${FILES_FOLDER:-}" ] && [ ! -d "$FILES_FOLDER" ]; then echo "No files in this backup: there is no $FILES_FOLDER." >&2; fi
if [ -n "${LOG_FOLDER:-}" ] && [ ! -f "$LOG_FOLDER/lock" ]; then
  echo "No log in this backup: nothing was signed in $LOG_FOLDER." >&2
fi
unfinished=$folder/database.dump.unfinished
trap 'rm -f "$unfinished"' EXIT
pg_dump --format=custom --no-owner --enable-row-security --file="$unfinished" "$DATABASE_OWNER_URL"
# Copied after the dump, so that the list and the log contain at least what the dump does.
if [ -n "${ERASURE_LIST:-}" ] && [ -f "$ERASURE_LIST" ]; then cp -p "$ERASURE_LIST" "$folder/"; fi
# Also after the dump: a file that the dump names is in the folder unless it was removed since. Files that are being
# written are left out.
if [ -n "${FILES_FOLDER:-}" ] && [ -d "$FILES_FOLDER" ]; then
  tar --create --file="$folder/files.tar" --directory="$FILES_FOLDER" --exclude='.[!/]*' --warning=no-file-changed \
    --warning=no-file-removed . || [ $? -eq 1 ]  # 1: a file was removed while it was read
fi
if [ -n "${LOG_FOLDER:-}" ] && [ -f "$LOG_FOLDER/lock" ]; then
  flock --shared "$LOG_FOLDER/lock" cp -pR "$LOG_FOLDER/." "$folder/log"  # the signer holds this lock while it signs
fi
mv "$unfinished" "$folder/database.dump"
( cd "$folder" && find . -type f ! -name SHA256SUMS -exec sha256sum -- {} + > SHA256SUMS )
