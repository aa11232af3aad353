#!/usr/bin/env bash
# The demo of one recorded kernel: demo.sh REPLAIT FOLDER KERNEL, where KERNEL is a built-in sample
# or a Python program. Exit status 0 when its race was printed and every comparison held.
set -euo pipefail

PATH=$(dirname "$1"):$PATH
folder=$2 kernel=$3
name=$(basename "$kernel" .py)
mkdir -p "$folder"
cd "$folder"
first=$name.1.replait second=$name.2.replait

# expect STATUSES OUTPUT COMMAND...: shows the command and runs it with its output in a file; stops
# on another exit status.
expect() {
  local statuses=$1 output=$2 status=0
  shift 2
  printf '\n$ %s\n' "$*"
  "$@" >"$output" 2>"$name.messages" || status=$?
  [[ " $statuses " == *" $status "* ]] && return
  cat "$output" "$name.messages" >&2
  printf 'demo: exit status %d, expected one of: %s\n' "$status" "$statuses" >&2
  exit 1
}

same() {
  printf '\n$ cmp %s %s\n' "$1" "$2"
  cmp "$1" "$2"
  printf 'the same\n'
}

rm -f "$first" "$second"
if [[ -f $kernel ]]; then
  # A recording of JAX's own threads differs from run to run; only its replay is fixed.
  expect "0 1" "$name.record" replait record -o "$first" -- python \
    "$(realpath --relative-to=. "$kernel")"
  cat "$name.record" "$name.messages"
else
  # A kernel whose run fails exits 1 and leaves its trace.
  record=(replait record "$kernel" --seed 1 --no-environment)
  expect "0 1" "$name.record" "${record[@]}" -o "$first"
  grep -e '^recorded' -e '^run id' "$name.record" "$name.messages" -h
  expect "0 1" "$name.record" "${record[@]}" -o "$second"
  same "$first" "$second"
fi

for run in 1 2; do
  expect 0 "$name.replay.$run" replait replay "$first"
  ((run == 2)) || cat "$name.replay.1"
done
same "$name.replay.1" "$name.replay.2"

expect 1 "$name.check" replait check "$first"
cat "$name.check"
grep -q 'race\.' "$name.check" || {
  printf 'demo: check printed no race\n' >&2
  exit 1
}
