#!/usr/bin/env bash
# The demo of one recorded kernel: demo.sh REPLAIT FOLDER KERNEL, where KERNEL is a built-in sample
# or a Python program. Exit status 0 when its race was printed and every comparison held.
set -euo pipefail

replait=$1 folder=$2 kernel=$3
name=$(basename "$kernel" .py)
mkdir -p "$folder"
first=$folder/$name.1.replait second=$folder/$name.2.replait

show() {
  printf '\n$ %s\n' "$*" | sed "s|$replait|replait|g; s|$folder/||g"
}

# expect STATUSES COMMAND...: shows the command, runs it, and stops on another exit status.
expect() {
  local statuses=$1 status=0
  shift
  show "$@"
  "$@" || status=$?
  [[ " $statuses " == *" $status "* ]] && return
  printf 'demo: exit status %d, expected one of: %s\n' "$status" "$statuses" >&2
  exit 1
}

same() {
  show cmp "$1" "$2"
  cmp "$1" "$2" && printf 'the same bytes\n'
}

rm -f "$first" "$second"
if [[ $kernel == *.py ]]; then
  # A recording of JAX's own threads differs from run to run; only its replay is fixed.
  expect "0 1" "$replait" record -o "$first" -- python "$kernel"
else
  # A kernel whose run fails exits 1 and leaves its trace.
  expect "0 1" "$replait" record "$kernel" --seed 1 --no-environment -o "$first"
  expect "0 1" "$replait" record "$kernel" --seed 1 --no-environment -o "$second"
  same "$first" "$second"
fi

expect 0 "$replait" replay "$first" | tee "$folder/$name.replay.1"
"$replait" replay "$first" >"$folder/$name.replay.2"
show replait replay "$(basename "$first")"
cmp "$folder/$name.replay.2" <(sed 1,2d "$folder/$name.replay.1") && printf 'the same output\n'

expect 1 "$replait" check --this-run "$first" | tee "$folder/$name.check"
grep -q 'race\.' "$folder/$name.check" || {
  printf 'demo: check printed no race\n' >&2
  exit 1
}
