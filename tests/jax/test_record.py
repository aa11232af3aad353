"""Kernels recorded from JAX and replayed without it: the same events, values and failure."""

from __future__ import annotations

import functools

import pytest

import commands

jax = pytest.importorskip("jax")

import failing_kernels  # noqa: E402
import kernels  # noqa: E402
import replait  # noqa: E402

CLEAN = {
    "ring": kernels.ring,
    "ring eager": functools.partial(kernels.ring, mode="eager"),
    "two cores synced": functools.partial(kernels.two_cores, synced=True),
    "blocks": kernels.blocks,
    "blocks on two cores": functools.partial(kernels.blocks, parallel=True, cores=2),
    "scoped": kernels.scoped,
    "scoped eager": functools.partial(kernels.scoped, mode="eager"),
    "masked": kernels.masked,
}
# The recorded run itself shows the race.
RACING = {
    "ring without receive wait": functools.partial(kernels.ring, waits_for_data=False),
    "ring without receive wait, eager": functools.partial(
        kernels.ring, waits_for_data=False, mode="eager"
    ),
    "two cores": functools.partial(kernels.two_cores, synced=False),
}
# kernel -> the type of the error and the beginning of its text.
FAILING = {
    failing_kernels.reads_out_of_bounds: ("IndexError", "Out-of-bounds read of (0 0 vmem 102)"),
    failing_kernels.stores_out_of_bounds: ("ValueError", "Out-of-bounds swap of (0 0 vmem 103)"),
    failing_kernels.copies_out_of_bounds: ("ValueError", "Out-of-bounds write of (0 0 vmem 103)"),
    failing_kernels.block_out_of_bounds: (
        "IndexError",
        'Out-of-bounds block index (2, 0) for input "x" in iteration (1,)',
    ),
    failing_kernels.revisits_a_block: (
        "RuntimeError",
        "Revisited block (slice(0, 8, 1), slice(0, 128, 1))",
    ),
    failing_kernels.copies_into_a_scope_that_ended: ("KeyError", "('vmem', 102, 0, 0)"),
    failing_kernels.clock_too_small: ("ValueError", "Vector clock size (1) must be greater than"),
    failing_kernels.one_id_in_two_spaces: (
        "ValueError",
        "Semaphore 2000 occurs as both fixed-id and internal.",
    ),
    failing_kernels.refuses_a_masked_load: ("NotImplementedError", "masked load_p"),
    failing_kernels.one_device_of_two_fails: (
        "ValueError",
        "Out-of-bounds swap of (1 0 vmem 103)",
    ),
    failing_kernels.one_core_of_two_fails: ("ValueError", "Out-of-bounds swap of (0 1 vmem 101)"),
}


def record(kernel, path, values="hash"):
    with replait.record(path, values=values) as recording:
        kernels.settled(kernel())
    assert recording.findings == 0, "the model of JAX disagrees with JAX"
    return recording


def replays(path):
    ran = commands.replait("replay", path)
    assert ran.code == 0, ran.out + ran.err
    return ran.out


@pytest.mark.parametrize("values", ["none", "hash", "full"])
@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_kernel_replays_and_is_judged_clean(name, values, tmp_path):
    path = tmp_path / "clean.replait"
    record(CLEAN[name], path, values)
    replays(path)
    checked = commands.replait("check", path)
    assert checked.code == 0, checked.out


@pytest.mark.parametrize("name", RACING)
def test_a_racing_kernel_replays_and_is_judged_racing(name, tmp_path):
    path = tmp_path / "racing.replait"
    record(RACING[name], path, "full")
    replays(path)
    checked = commands.replait("check", path)
    assert checked.code == 1, checked.out
    assert "race." in checked.out
    assert "kernels.py" in checked.out


@pytest.mark.parametrize("kernel", FAILING, ids=lambda kernel: kernel.__name__)
def test_a_failure_replays_with_type_and_text(kernel, tmp_path):
    kind, text = FAILING[kernel]
    path = tmp_path / "failing.replait"
    with pytest.raises((jax.errors.JaxRuntimeError, NotImplementedError)) as raised:
        record(kernel, path)
    # Of several devices, JAX may raise what another one made of it: the note has the first cause.
    assert any(
        text in said for said in (str(raised.value), *getattr(raised.value, "__notes__", ()))
    )
    out = replays(path)
    assert f"reproduced: {kind} at event" in out and text in out
    first = next(e for e in commands.events_of(path) if f"{kind}: {text}" in e["outcome"])
    assert first["source"].startswith("tests/jax/failing_kernels.py:"), first


DEADLOCKS = {
    "a wait": (failing_kernels.waits_for_ever, "turn", "has 1"),
    "a wait beside copies": (
        functools.partial(failing_kernels.waits_for_ever, copies=2),
        "turn",
        "has 1",
    ),
    "a wait of one core": (failing_kernels.a_core_waits_for_ever, "turn", "has 0"),
}


@pytest.mark.parametrize("name", DEADLOCKS)
def test_a_deadlock_ends_the_kernel_and_says_who_waits(name, tmp_path):
    kernel, semaphore, has = DEADLOCKS[name]
    path = tmp_path / "deadlock.replait"
    with pytest.raises(jax.errors.JaxRuntimeError, match="replait found a deadlock"):
        record(kernel, path)
    out = replays(path)
    assert "reproduced: deadlock after" in out and semaphore in out and has in out, out
    checked = commands.replait("check", path)
    assert checked.code == 1 and "sync.deadlock" in checked.out
    # Nothing of it is left behind.
    assert (kernels.settled(kernels.doubled(kernels.ones())) == 2).all()


def test_a_count_left_at_exit_is_recorded_as_printed(tmp_path, capsys):
    path = tmp_path / "count.replait"
    record(failing_kernels.leaves_a_count, path)
    said = "Semaphore 2000 has non-zero count for 0 (global core 0) at kernel exit: 3"
    assert said in capsys.readouterr().out  # The user still sees it.
    replays(path)
    assert [e for e in commands.events_of(path) if said in e["outcome"]]


def test_only_the_first_cause_is_an_error_of_its_own(tmp_path):
    path = tmp_path / "failing.replait"
    with pytest.raises(jax.errors.JaxRuntimeError):
        record(failing_kernels.one_device_of_two_fails, path)
    raised = [e for e in commands.events_of(path) if "Error: " in e["outcome"]]
    assert "Out-of-bounds swap" in raised[0]["outcome"]
    packets = commands.packets_of(path)
    assert b"exec.follower" in packets
    assert b"Traceback" not in packets  # JAX repeats the first cause's, with this machine's paths.


def test_a_kernel_jitted_before_is_recorded(tmp_path):
    run = jax.jit(kernels.doubled)
    run(kernels.ones()).block_until_ready()
    path = tmp_path / "before.replait"
    recording = record(lambda: run(kernels.ones()), path)
    assert recording.kernels == 1
    replays(path)
    ops = [e["op"] for e in commands.events_of(path)]
    assert ops[0] == "enter" and ops[-1] == "exit"
    assert {"read", "write", "swap", "grid step"} <= set(ops)


def test_launches_are_recorded_one_after_another(tmp_path):
    path = tmp_path / "three.replait"

    def three():
        run = jax.jit(kernels.doubled)
        return [run(run(kernels.ones())), kernels.ring()]

    assert record(three, path).kernels == 3
    replays(path)


def test_a_kernel_after_a_failed_one_is_recorded(tmp_path):
    path = tmp_path / "after.replait"
    with replait.record(path, values="hash") as recording:
        with pytest.raises(jax.errors.JaxRuntimeError):
            kernels.settled(failing_kernels.one_device_of_two_fails())
        assert (kernels.settled(kernels.doubled(kernels.ones())) == 2).all()
    assert (recording.kernels, recording.findings) == (2, 0)
    assert "Out-of-bounds swap" in replays(path)


def test_grid_steps_names_and_lines_are_the_users(tmp_path):
    path = tmp_path / "blocks.replait"
    record(kernels.blocks, path)
    events = commands.events_of(path)
    steps = [e["text"] for e in events if e["op"] == "grid step"]
    assert [s[s.index("(") :] for s in steps] == [f"({i}, {j})" for i in range(2) for j in range(3)]
    assert {"x", "y", "out"} == {e["text"].split()[1] for e in events if e["op"] == "allocate"}
    path = tmp_path / "ring.replait"
    record(kernels.ring, path)
    waits = [e for e in commands.events_of(path) if e["op"] == "wait"]
    assert {"recv_sem[0]", "recv_sem[1]", "recv_sem[2]", "local_sem"} <= {
        word for e in waits for word in e["text"].split()
    }
    # JAX drops the line of semaphore_wait, which is put back.
    assert all(e["source"].startswith("tests/jax/kernels.py:") for e in waits)


def test_two_runs_of_a_deterministic_kernel_are_the_same_run(tmp_path):
    ids = {
        record(kernels.scoped, tmp_path / f"{i}.replait", values).run_id
        for i, values in enumerate(("hash", "hash", "full"))
    }
    assert len(ids) == 1
