"""The script that runs everything: its counting, and its answers to wrong use."""

import subprocess
import sys
from pathlib import Path

import pytest
from source_tree import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import count_cases

CASES = """
<testsuites><testsuite>
  <testcase classname="A" name="passes"/>
  <testcase classname="A" name="fails"><failure message="no"/></testcase>
  <testcase classname="A" name="breaks"><error message="no"/></testcase>
  <testcase classname="A" name="left_out"><skipped message="no compiler"/></testcase>
  <testcase classname="A" name="disabled" status="notrun"/>
</testsuite></testsuites>
"""
PASSING = '<testsuite><testcase classname="A" name="passes"/></testsuite>'


@pytest.fixture
def junit(tmp_path: Path) -> Path:
    """A file to write cases to."""
    return tmp_path / "junit.xml"


def test_cases_are_counted_and_named(junit: Path):
    junit.write_text(CASES)
    counts, lines = count_cases.count(junit, 1)
    assert counts == [1, 2, 2]
    assert lines == [
        "   FAILED A.fails",
        "   FAILED A.breaks",
        "   skipped A.left_out: no compiler",
        "   skipped A.disabled: disabled",
    ]


def test_passing_cases_are_no_failure(junit: Path):
    junit.write_text(PASSING)
    assert count_cases.count(junit, 0) == ([1, 0, 0], [])


def test_a_runner_that_fails_after_passing_cases_is_one_failure(junit: Path):
    junit.write_text(PASSING)
    counts, lines = count_cases.count(junit, 139)
    assert counts == [1, 1, 0]
    assert "139" in lines[0]


@pytest.mark.parametrize("text", (None, "", "<testsuite/>", "not XML"))
@pytest.mark.parametrize("status", (0, 1))
def test_a_runner_that_ran_nothing_is_one_failure(junit: Path, text: str | None, status: int):
    if text is not None:
        junit.write_text(text)
    counts, lines = count_cases.count(junit, status)
    assert counts == [0, 1, 0]
    assert "no test ran" in lines[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    (
        (["dance"], "no verb 'dance'"),
        (["test", "--most"], "not '--most'"),
        (["test", "--all", "x"], "at most one"),
        (["venv"], "needs a Python version"),
        (["venv", "2.7"], "needs a Python version"),
        (["venv", "3.12", "0.11.1", "x"], "at most one JAX"),
    ),
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_said_and_exits_2(arguments: list[str], said: str, tmp_path: Path):
    ended = subprocess.run([ROOT / "dev", *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 2
    assert said in ended.stderr


def test_help_names_every_verb():
    ended = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True)
    for verb in ("demo", "test", "test --all", "bench", "format", "run", "venv X.Y [JAX]"):
        assert f"./dev {verb} " in ended.stdout


def test_every_tested_pair_is_a_python_and_a_jax():
    lines = (ROOT / "tests/versions.txt").read_text().splitlines()
    found = [line.split() for line in lines if line and not line.startswith("#")]
    assert [len(pair) for pair in found] == [2] * len(found)
    assert {version for version, _ in found} == {"3.11", "3.12", "3.13"}
