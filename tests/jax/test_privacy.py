"""No value of the environment stands in a trace: canaries planted in each are not found there."""

from __future__ import annotations

import os
import shutil
import socket
import sys

import pytest

import commands

pytest.importorskip("jax")

CANARY = "canary7f3a"

PROGRAM = """
import socket, sys
socket.gethostname = lambda: "{canary}host"  # What a careless recorder would ask.
sys.path.insert(0, {tests!r})
import failing_kernels, kernels, replait
with replait.record("trace.replait", values="full"):
    kernels.settled(kernels.scoped())
    try:
        kernels.settled(failing_kernels.one_device_of_two_fails())
    except Exception:
        pass
"""


def test_a_trace_holds_nothing_of_the_environment(tmp_path):
    folder = tmp_path / f"{CANARY}-project"
    home = tmp_path / f"{CANARY}-home"
    library = tmp_path / f"{CANARY}-library"
    for made in (folder, home, library):
        made.mkdir()
    for name in ("kernels.py", "failing_kernels.py"):
        shutil.copy(commands.TESTS / name, library)
    program = folder / "train.py"
    program.write_text(PROGRAM.format(canary=CANARY, tests=str(library)))
    env = {
        "HOME": str(home),
        "USER": f"{CANARY}-user",
        "LOGNAME": f"{CANARY}-user",
        "HOSTNAME": f"{CANARY}-host",
        "REPLAIT_TEST_SECRET": f"{CANARY}-secret",
        "JAX_COMPILATION_CACHE_DIR": str(home / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(library)])),
    }
    ran = commands.run(sys.executable, "train.py", cwd=folder, env=env)
    assert ran.code == 0, ran.err
    packets = commands.packets_of(folder / "trace.replait")
    assert b"kernels.py" in packets and b"train.py" in packets  # It holds what it should.
    assert CANARY.encode() not in packets
    for private in (socket.gethostname(), os.path.expanduser("~"), str(tmp_path)):
        # A short host name such as "vm" stands in any text by chance; the canary covers that.
        assert len(private) < 5 or private.encode() not in packets, private


def test_without_environment_no_version_is_kept(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(
        f"import sys; sys.path.insert(0, {str(commands.TESTS)!r})\n"
        "import kernels, replait\n"
        "for kept in (True, False):\n"
        "    with replait.record(f'{kept}.replait', environment=kept):\n"
        "        kernels.settled(kernels.scoped())\n"
    )
    ran = commands.run(sys.executable, program, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert b"ml_dtypes" in commands.packets_of(tmp_path / "True.replait")
    assert b"ml_dtypes" not in commands.packets_of(tmp_path / "False.replait")
