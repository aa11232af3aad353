"""The rules of the project, run on the checkout, and each on a planted violation it must find."""

import re
import shutil
import subprocess
import sys

import layout_rules
import pytest
import text_rules
from source_tree import ROOT, Tree, is_cpp, read_tree

RULES = (
    layout_rules.wrong_modules,
    layout_rules.wrong_libraries,
    layout_rules.dead_files,
    layout_rules.samples_without_expectation,
    text_rules.long_files,
    text_rules.long_functions,
    text_rules.banned_calls,
    text_rules.unordered_iteration,
    text_rules.foreign_words,
    text_rules.headers_without_idea,
    text_rules.disabled_tests,
)


@pytest.fixture(scope="session")
def tree() -> Tree:
    """The files of the checkout."""
    return read_tree()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_checkout_obeys(rule, tree: Tree):
    found = rule(tree)
    assert not found, "\n".join([rule.__doc__, *found])


LONG_BODY = "".join(f"  call({i});\n" for i in range(70))

# Rule, path, text: each must be found.
PLANTED = (
    (layout_rules.wrong_modules, "src/sched/a.cpp", '#include "fiber/fiber.h"\n'),
    (layout_rules.wrong_modules, "src/base/a.h", '#include "trace/event.h"\n'),
    (layout_rules.wrong_modules, "src/race/a.h", '#include "replay/command.h"\n'),
    (layout_rules.wrong_modules, "src/model/a.h", '#include "replait/kernel.h"\n'),
    (layout_rules.wrong_modules, "src/invented/a.h", '#include "base/rng.h"\n'),
    (layout_rules.wrong_libraries, "src/sim/a.cpp", "#include <boost/context/fiber.hpp>\n"),
    (layout_rules.wrong_libraries, "src/model/a.cpp", '#include "trace/trace.pb.h"\n'),
    (layout_rules.wrong_libraries, "src/trace/a.h", "#include <zstd.h>\n"),
    (layout_rules.wrong_libraries, "src/report/a.cpp", "#include <CLI/CLI.hpp>\n"),
    (layout_rules.wrong_libraries, "replay/a.cpp", "#include <xxhash.h>\n"),
    (layout_rules.wrong_libraries, "src/base/a.cpp", "#include <gtest/gtest.h>\n"),
    (layout_rules.dead_files, "src/base/a.cpp", ""),
    (layout_rules.dead_files, "tests/unit/base/a_test.cpp", ""),
    (layout_rules.dead_files, "src/base/a.h", "// An idea.\n#pragma once\n"),
    (layout_rules.dead_files, "src/lost/meson.build", ""),
    (
        layout_rules.samples_without_expectation,
        "examples/cpp/a.cpp",
        '{.name = "a",\n .summary = "s",\n .body = f}',
    ),
    (
        layout_rules.samples_without_expectation,
        "examples/cpp/a.cpp",
        '{.name = "a",\n .summary = "s",\n .expected = "perhaps",\n .body = f}',
    ),
    (text_rules.long_files, "src/base/a.h", "\n" * 201),
    (text_rules.long_files, "src/base/a.cpp", "\n" * 401),
    (text_rules.long_files, "tests/jax/test_a.py", "\n" * 401),
    (text_rules.long_functions, "src/base/a.cpp", f"void f(int a) {{\n{LONG_BODY}}}\n"),
    (
        text_rules.long_functions,
        "src/base/a.cpp",
        f"struct S {{\nS() : a(1) {{\n{LONG_BODY}}}\n}};",
    ),
    (
        text_rules.long_functions,
        "tests/a.cpp",
        f"namespace a {{\nTEST(A, B) {{\n{LONG_BODY}}}\n}}\n",
    ),
    (text_rules.long_functions, "src/base/a.cpp", f"bool operator==(A a, B b) {{\n{LONG_BODY}}}\n"),
    (text_rules.long_functions, "python/a.py", f"def f():\n{LONG_BODY}".replace(";", "")),
    (text_rules.banned_calls, "src/sched/a.cpp", "int f() { return std::rand(); }\n"),
    (text_rules.banned_calls, "src/sched/a.cpp", "std::uniform_int_distribution<int> d;\n"),
    (text_rules.banned_calls, "src/trace/a.cpp", "auto t = std::chrono::steady_clock::now();\n"),
    (text_rules.banned_calls, "src/trace/a.cpp", "auto t = time(nullptr);\n"),
    (text_rules.banned_calls, "src/sim/a.cpp", "std::thread t([] {});\n"),
    (text_rules.banned_calls, "replay/a.cpp", 'std::printf("%p", x);\n'),
    (text_rules.banned_calls, "src/model/a.cpp", "switch (a) {\n  default:\n    break;\n}\n"),
    (text_rules.banned_calls, "include/replait/a.h", "assert(a);\n"),
    (
        text_rules.unordered_iteration,
        "src/race/a.cpp",
        "std::unordered_map<int, std::string> names;\nfor (const auto& [a, b] : names) f(a);\n",
    ),
    (
        text_rules.unordered_iteration,
        "src/race/a.cpp",
        "std::unordered_set<int> seen_;\nstd::vector<int> v(seen_.begin(), seen_.end());\n",
    ),
    (text_rules.foreign_words, "docs/a.md", "see /wo" + "rk/main/src\n"),
    (text_rules.foreign_words, "src/base/a.cpp", "// TO" + "DO: later\n"),
    (text_rules.foreign_words, "README.md", "as asked in issue" + " 12\n"),
    (text_rules.headers_without_idea, "src/base/a.h", "#pragma once\n"),
    (text_rules.headers_without_idea, "src/base/a.h", "// An idea.\n"),
    (text_rules.disabled_tests, "tests/unit/base/a_test.cpp", "TEST(A, DISABLED_B) {}\n"),
)


@pytest.mark.parametrize(("rule", "path", "text"), PLANTED)
def test_rule_finds_a_planted_violation(rule, path: str, text: str):
    assert rule({"meson.build": "", path: text})


# Looks like a violation, is none.
ALLOWED = (
    (layout_rules.wrong_modules, "src/sim/a.cpp", '#include "fiber/fiber.h"\n#include <vector>\n'),
    (layout_rules.wrong_libraries, "src/fiber/a.cpp", "#include <boost/context/fiber.hpp>\n"),
    (text_rules.banned_calls, "src/base/a.cpp", '// never std::rand()\nauto a = "std::rand()";\n'),
    (text_rules.banned_calls, "src/base/a.cpp", "a.time(); = default;\nint x = runtime(3);\n"),
    (text_rules.banned_calls, "tests/unit/a.cpp", "std::thread t;\n"),
    (
        text_rules.long_functions,
        "src/base/a.cpp",
        f"constexpr std::array<int, 70> kTable = {{\n{LONG_BODY}}};\n",
    ),
    (text_rules.long_functions, "src/base/a.cpp", f"class A {{\n{LONG_BODY}}};\nvoid f() {{}}\n"),
    (
        text_rules.unordered_iteration,
        "src/race/a.cpp",
        "std::unordered_set<int> a;\nstd::set<int> b;\nfor (int x : b) a.find(x);\n",
    ),
)


@pytest.mark.parametrize(("rule", "path", "text"), ALLOWED)
def test_rule_lets_pass(rule, path: str, text: str):
    assert rule({"meson.build": "", path: text}) == []


def test_samples_are_seen(tree: Tree):
    found = [name for path, text in tree.items() for name, _ in layout_rules.SAMPLE.findall(text)]
    assert "ring-all-gather" in found


def test_every_kind_of_file_is_seen(tree: Tree):
    for path in ("src/base/rng.cpp", "include/replait/kernel.h", "meson.build", "dev"):
        assert path in tree


def clang_format() -> str:
    """The clang-format that the repository is formatted with; another major version differs."""
    for name in ("clang-format-14", "clang-format"):
        program = shutil.which(name)
        if program is not None:
            version = subprocess.run([program, "--version"], capture_output=True, text=True)
            if "version 14." in version.stdout:
                return program
    pytest.skip("clang-format 14 is not installed")


def test_cpp_is_formatted(tree: Tree):
    files = [path for path in tree if is_cpp(path)]
    command = [clang_format(), "--dry-run", "-Werror", *files]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    places = re.findall(r"^(\S+?):\d+:\d+: error", checked.stderr, re.MULTILINE)
    unformatted = sorted(set(places))
    assert checked.returncode == 0, "run ./dev format:\n" + "\n".join(unformatted)


@pytest.mark.parametrize(
    "arguments", (["check", "--output-format=concise"], ["format", "--check"]), ids=" ".join
)
def test_python_is_clean(arguments: list[str], tree: Tree):
    pytest.importorskip("ruff", reason="ruff is not installed")
    files = [path for path in tree if path.endswith((".py", ".pyi"))]
    command = [sys.executable, "-m", "ruff", *arguments, "--no-cache", *files]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_shell_scripts_are_clean(tree: Tree):
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed")
    files = [path for path, text in tree.items() if text.startswith("#!/usr/bin/env bash")]
    checked = subprocess.run([shellcheck, "-x", *files], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
