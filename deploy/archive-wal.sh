#!/bin/sh
# The archive_command of PostgreSQL: archive-wal.sh %p <folder>/%f
# Stores a segment of the log whole or not at all. Accepts one again that is equal, because each machine of a cluster sends all of
# them, and refuses one that differs.
cmp -s "$1" "$2" && exit 0
if [ -e "$2" ]; then
  echo "archive-wal.sh: $2 exists with other content." >&2
  exit 1
fi
part="$2.$(hostname).$$"
cp "$1" "$part" && sync "$part" && mv -n "$part" "$2"
rm -f "$part"
cmp -s "$1" "$2"
