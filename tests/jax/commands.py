"""Runs the `replait` command that is installed beside this Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent
ROOT = TESTS.parents[1]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def command() -> str:
    beside = Path(sys.executable).parent / "replait"
    found = os.environ.get("REPLAIT_COMMAND") or (
        str(beside) if beside.exists() else shutil.which("replait")
    )
    assert found, "the replait command is not installed beside this Python"
    return found


def run(*arguments, cwd=None, env=None, timeout=180) -> Ran:
    """Runs any command line; the environment is this one's, with `env` on top (None removes)."""
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    for name, value in (env or {}).items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    ran = subprocess.run(
        [str(a) for a in arguments],
        cwd=cwd,
        env=variables,
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def replait(*arguments, **options) -> Ran:
    return run(command(), *arguments, **options)


def events_of(trace) -> list[dict]:
    """Every event of a trace: index, agent, op, text, source, outcome."""
    shown = replait("show", trace, "--events", "0:1000000", "--json")
    assert shown.code == 0, shown.err
    return json.loads(shown.out)["events"]


def packets_of(trace) -> bytes:
    """All that a trace holds, decompressed."""
    ran = subprocess.run(["zstd", "-dcq", str(trace)], capture_output=True, timeout=60, check=True)
    return ran.stdout
