#!/bin/sh
# A finished trace decodes with zstd and protoc alone, and holds what was recorded.
# usage: decode_with_protoc.sh WRITE-TINY ZSTD PROTOC FOLDER-OF-TRACE.PROTO
set -eu
write_tiny=$1 zstd=$2 protoc=$3 folder=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$write_tiny" trace "$work/tiny.replait"
"$zstd" -dcq "$work/tiny.replait" |
  "$protoc" --decode=replait.Trace --proto_path="$folder" trace.proto > "$work/decoded"
for expected in 'kernel: "ring"' 'scheduler: "round-robin"' 'text: "recv_sem"' 'events: 11' 'finished: true'; do
  grep -qF "$expected" "$work/decoded" || {
    echo "not decoded: $expected"
    exit 1
  }
done
# Nothing that the schema does not name: protoc prints an unknown field by its number.
if grep -nE '^ *[0-9]+[ :]' "$work/decoded"; then
  echo "fields that trace.proto does not name"
  exit 1
fi
