"""`replait record -- PROGRAM`: programs that know nothing of it; and recordings that are killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest

import commands

pytest.importorskip("jax")

RING = commands.ROOT / "examples" / "jax" / "ring.py"


def record(path, *program, **options):
    return commands.replait("record", "-o", path, "--", *program, **options)


def test_the_example_races_and_its_race_is_printed(tmp_path):
    path = tmp_path / "ring.replait"
    ran = record(path, sys.executable, RING)
    assert ran.code == 1, ran.out + ran.err
    assert "0 of 4 devices" in ran.out
    assert commands.replait("replay", path).code == 0
    checked = commands.replait("check", path)
    assert checked.code == 1
    assert "race." in checked.out and len(re.findall(r"ring\.py:\d+", checked.out)) >= 2


def test_the_fixed_example_is_clean(tmp_path):
    path = tmp_path / "ring.replait"
    ran = record(path, sys.executable, RING, "--fixed")
    assert ran.code == 0, ran.out + ran.err
    assert "4 of 4 devices" in ran.out
    assert commands.replait("check", path).code == 0


def test_a_program_without_kernels_exits_5_and_leaves_no_file(tmp_path):
    ran = record(tmp_path / "x.replait", sys.executable, "-c", "print('nothing')")
    assert ran.code == 5
    assert "nothing" in ran.out and "recorded 0 kernels" in ran.err
    assert os.listdir(tmp_path) == []


def test_the_programs_own_code_and_output_stand(tmp_path):
    program = tmp_path / "fails.py"
    program.write_text(f"exec(open({str(RING)!r}).read())\nraise SystemExit(7)\n")
    ran = record(tmp_path / "x.replait", sys.executable, program)
    assert ran.code == 7, ran.err
    assert commands.replait("replay", tmp_path / "x.replait").code == 0


def test_an_existing_sitecustomize_still_runs(tmp_path):
    hidden = tmp_path / "site"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text("import os\nos.environ['HIDDEN_RAN'] = 'yes'\n")
    program = "import os, sitecustomize; print(os.environ['HIDDEN_RAN'], sitecustomize.__file__)"
    python_path = os.pathsep.join(filter(None, [str(hidden), os.environ.get("PYTHONPATH")]))
    ran = record(
        tmp_path / "x.replait", sys.executable, "-c", program, env={"PYTHONPATH": python_path}
    )
    assert ran.out.split() == ["yes", str(hidden / "sitecustomize.py")], ran.err


def test_a_program_that_the_program_starts_is_recorded_once(tmp_path):
    outer = tmp_path / "outer.py"
    outer.write_text(
        "import subprocess, sys\n"
        f"for _ in range(2): subprocess.run([sys.executable, {str(RING)!r}], check=True)\n"
    )
    path = tmp_path / "x.replait"
    ran = record(path, sys.executable, outer)
    assert ran.code == 1, ran.out + ran.err
    assert "recorded 1 kernel," in ran.err
    assert "is not recorded: another writes the trace" in ran.err


KILLED = """
import os, sys
sys.path.insert(0, {tests!r})
import kernels, replait
with replait.record("x.replait", values="full"):
    for n in range(200):
        kernels.settled(kernels.scoped())
        print(n, flush=True)
"""


def test_a_killed_recording_is_recovered_and_replays(tmp_path):
    program = KILLED.format(tests=str(commands.TESTS))
    child = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        for line in child.stdout:
            if int(line) >= 40:
                break
        time.sleep(0.05)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=60)
    partial = tmp_path / "x.replait.partial"
    assert os.listdir(tmp_path) == [partial.name]
    recovered = tmp_path / "recovered.replait"
    ran = commands.replait("recover", partial, "-o", recovered)
    assert ran.code == 0, ran.out + ran.err
    assert len(commands.events_of(recovered)) > 500
    assert commands.replait("replay", recovered).code == 0


def test_a_program_that_is_killed_names_the_way_to_save_its_recording(tmp_path):
    program = tmp_path / "dies.py"
    program.write_text(
        f"import os, sys\nsys.path.insert(0, {str(commands.TESTS)!r})\nimport kernels\n"
        "for _ in range(30): kernels.settled(kernels.scoped())\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ran = record(tmp_path / "x.replait", sys.executable, program)
    assert ran.code == 128 + 9
    assert "recover" in ran.err
    assert (tmp_path / "x.replait.partial").exists()
