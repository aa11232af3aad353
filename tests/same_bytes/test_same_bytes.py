"""One kernel and seed give one file, whichever compiler and optimisation level built replait.

The binaries to compare stand in REPLAIT_BINARIES, separated by colons; `./dev test --all` sets it.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

BINARIES = [Path(path) for path in os.environ.get("REPLAIT_BINARIES", "").split(":") if path]
SEEDS = (0, 1, 7)


def kernels() -> list[str]:
    """Names of the built-in samples, as the first binary lists them."""
    if not BINARIES:
        return []
    listed = subprocess.run(
        [BINARIES[0], "record", "--list", "--json"], capture_output=True, check=True
    )
    return [kernel["name"] for kernel in json.loads(listed.stdout)["kernels"]]


def record(binary: Path, kernel: str, seed: int, file: Path) -> bytes:
    """Returns the bytes of the trace that this build writes."""
    command = [binary, "record", kernel, "--seed", str(seed), "--no-environment", "-o", file]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode in (0, 1), ended.stderr
    return file.read_bytes()


def test_there_are_builds_to_compare():
    assert len(BINARIES) >= 2, "set REPLAIT_BINARIES"
    assert [path for path in BINARIES if not path.exists()] == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", kernels())
def test_every_build_writes_the_same_trace(kernel: str, seed: int, tmp_path: Path):
    expected = record(BINARIES[0], kernel, seed, tmp_path / "0.replait")
    different = [
        str(binary)
        for index, binary in enumerate(BINARIES[1:], 1)
        if record(binary, kernel, seed, tmp_path / f"{index}.replait") != expected
    ]
    assert different == []
