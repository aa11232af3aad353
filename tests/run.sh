# shellcheck shell=bash disable=SC2154
# The runners of `./dev test`, sourced by it. Each is a step: it runs with its output kept in
# build/logs, its cases are counted from JUnit XML, and what failed or was skipped is named. A step
# that ran nothing has failed.

logs=$build/logs
passed=0 failed=0 skipped=0
not_run=()

# A run means the same for everybody: no settings of the caller's shell.
unset "${!REPLAIT_@}" "${!GTEST_@}" "${!RC_@}" "${!PYTEST_@}" PYTHONPATH JAX_PLATFORMS XLA_FLAGS

# step NAME JUNIT-FILE COMMAND...: runs the command and counts the cases of the file it writes.
step() {
  local name=$1 junit=$2 log=$logs/$1.log status=0 counts begin=$SECONDS
  shift 2
  mkdir -p "$logs"
  rm -f "$junit"
  printf '== %s\n' "$name"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  counts=$(python3 "$root/tests/count_cases.py" "$junit" "$status")
  local ok bad left
  read -r ok bad left <<<"${counts%%$'\n'*}"
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
  if ((bad > 0)); then tail -n 150 "$log"; fi
  [[ $counts != *$'\n'* ]] || printf '%s\n' "${counts#*$'\n'}"
  printf '   %d passed, %d failed, %d skipped in %d s\n' "$ok" "$bad" "$left" $((SECONDS - begin))
}

# leave_out WHAT WHY: something that this machine cannot run.
leave_out() {
  skipped=$((skipped + 1))
  not_run+=("$1: $2")
  printf '== %s\n   not run: %s\n' "$1" "$2"
}

sum_up() {
  local what
  ((${#not_run[@]} == 0)) || printf '\n'
  for what in "${not_run[@]}"; do printf 'not run: %s\n' "$what"; done
  if ((passed + failed == 0)); then
    printf 'nothing ran\n'
    failed=1
  fi
  printf '\n%d passed, %d failed' "$passed" "$failed"
  ((skipped == 0)) || printf ', %d skipped' "$skipped"
  printf '\n'
  ((failed == 0))
}

# ---- C++ ----------------------------------------------------------------------------------------

# meson_tests NAME COMPILER SUITES [MESON-OPTION...]: builds build/NAME and runs its tests.
# SUITES is empty for all, or words for `meson test`.
meson_tests() {
  local name=$1 compiler=$2 suites=$3
  shift 3
  step "$name" "$build/$name/meson-logs/testlog.junit.xml" \
    build_and_test "$name" "$compiler" "$suites" "$@"
}

build_and_test() {
  local name=$1 compiler=$2 suites=$3 tmp=$build/tmp
  shift 3
  build_in "$name" "$compiler" "" "$@" || return
  rm -f "$build/$name/meson-logs/testlog.junit.xml"
  mkdir -p "$tmp"
  # shellcheck disable=SC2086  # Suites are a list of words.
  TMPDIR=$tmp HOME=$tmp UBSAN_OPTIONS=print_stacktrace=1 \
    meson test -C "$build/$name" --no-rebuild --print-errorlogs --timeout-multiplier "${slow:-1}" \
    $suites
}

# ---- Python -------------------------------------------------------------------------------------

# pytest_in NAME VENV ARGS...
pytest_in() {
  local name=$1 venv=$2
  shift 2
  step "$name" "$build/$name.junit.xml" run_pytest "$name" "$venv" "$@"
}

run_pytest() {
  local name=$1 venv=$2
  shift 2
  cd "$root" || return
  PATH=$venv/bin:$PATH RUFF_NO_CACHE=true REPLAIT_BUILD_DIR=$build/gcc timeout --kill-after=30 "${pytest_seconds:-900}" \
    "$venv/bin/python" -m pytest -q -rfEs -p no:cacheprovider \
    --junitxml="$build/$name.junit.xml" --basetemp="$build/tmp/$name" "$@"
}

tidy() {
  if tools_venv; then
    pytest_in tidy "$root/.venv-tools" tests/tidy
  else
    leave_out tidy "no venv for pytest and ruff could be made"
  fi
}

# jax_tests X.Y JAX PYTEST-ARGS...
jax_tests() {
  local version=$1 jax=$2 status=0
  shift 2
  printf '== Python %s, JAX %s\n' "$version" "$jax"
  if ! find_python "$version" >/dev/null; then
    leave_out "Python $version, JAX $jax" "this machine has no Python $version with venv and headers"
    return
  fi
  mkdir -p "$logs"
  make_venv "$version" "$jax" >"$logs/venv-$version.log" 2>&1 || status=$?
  if ((status != 0)); then
    tail -n 60 "$logs/venv-$version.log"
    printf '   no venv for Python %s with JAX %s\n' "$version" "$jax"
    failed=$((failed + 1))
    return
  fi
  pytest_in "python-$version" "$root/.venv-$version" tests/jax "$@"
}

# ---- The two verbs ------------------------------------------------------------------------------

optimised=(-Doptimization=2 -Ddebug=false)

test_fast() {
  need "${build_packages[@]}" "${test_packages[@]}" "${python_packages[@]}"
  export RC_PARAMS="seed=1"
  meson_tests gcc g++ "--suite fast" "${optimised[@]}"
  tidy
  local version jax
  while read -r version jax <&3; do
    find_python "$version" >/dev/null || continue
    jax_tests "$version" "$jax" -m "not slow"
    return
  done 3< <(pairs)
  leave_out "Python tests" "none of the Pythons in tests/versions.txt is on this machine"
}

test_all() {
  need "${build_packages[@]}" "${test_packages[@]}" "${python_packages[@]}"
  need_clang
  ((EUID != 0)) || need ccache # The wheels of the three Pythons share most of their objects.
  export RC_PARAMS="seed=2 max_success=500"
  meson_tests gcc g++ "" "${optimised[@]}"
  meson_tests clang clang++ "" "${optimised[@]}"
  export RC_PARAMS="seed=3"
  slow=5 meson_tests clang-address clang++ "" -Db_sanitize=address,undefined -Db_lundef=false \
    -Doptimization=1 -Ddebug=true -Dfuzz=enabled
  step fuzz "$build/fuzz.junit.xml" fuzz
  slow=10 meson_tests clang-thread clang++ "" -Db_sanitize=thread -Db_lundef=false \
    -Doptimization=1 -Ddebug=true
  tidy
  same_bytes
  local version jax
  while read -r version jax <&3; do
    pytest_seconds=1500 jax_tests "$version" "$jax"
  done 3< <(pairs)
}

# Each fuzzer goes on from its corpus for a while; what it finds stays in build/fuzz.
fuzz() {
  local fuzzer name found=$build/fuzz cases=""
  for fuzzer in "$build"/clang-address/tests/fuzz/fuzz-*; do
    [[ -f $fuzzer && -x $fuzzer && $fuzzer != *-corpus-* ]] || continue
    name=${fuzzer##*/fuzz-}
    mkdir -p "$found/$name"
    (cd "$found" && "$fuzzer" -seed=1 -runs="${fuzz_runs:-100000}" -max_total_time=120 -timeout=20 \
      -rss_limit_mb=4096 -artifact_prefix="$found/$name-" "$name" "$root/tests/fuzz/corpus/$name") ||
      return
    cases+="<testcase classname=\"fuzz\" name=\"$name\"/>"
  done
  printf '<testsuite>%s</testsuite>\n' "$cases" >"$build/fuzz.junit.xml"
}

# One kernel and seed give one file, whoever compiled replait and how.
same_bytes() {
  local binaries=() name
  build_in gcc-O0 g++ replay/replait -Doptimization=0 -Ddebug=false -Dtests=disabled || true
  build_in clang-O0 clang++ replay/replait -Doptimization=0 -Ddebug=false -Dtests=disabled || true
  for name in gcc clang gcc-O0 clang-O0; do
    binaries+=("$build/$name/replay/replait")
  done
  tools_venv || return
  REPLAIT_BINARIES=$(IFS=:; printf '%s' "${binaries[*]}") \
    pytest_in same-bytes "$root/.venv-tools" tests/same_bytes
}
