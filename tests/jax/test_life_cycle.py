"""Switching the recorder on and off: what is refused, what is put back, what survives."""

from __future__ import annotations

import logging
import os
import sys

import pytest

import commands

jax = pytest.importorskip("jax")

from jax._src import callback, dispatch, xla_bridge  # noqa: E402
from jax._src.pallas.mosaic.interpret import interpret_pallas_call, shared_memory  # noqa: E402

import failing_kernels  # noqa: E402
import kernels  # noqa: E402
import replait  # noqa: E402
from fake_sink import FakeSink  # noqa: E402
from replait import _cures, _jax_support, _record  # noqa: E402


@pytest.mark.parametrize("option", ["seed", "scheduler", "keep_last", "on_race", "cores", "kernel"])
def test_options_of_later_versions_are_refused_by_name(option, tmp_path):
    with pytest.raises(replait.UnsupportedOptionError, match=rf"record\({option}=\.\.\.\)"):
        with replait.record(tmp_path / "x.replait", **{option: 7}):
            raise AssertionError("not reached")
    assert os.listdir(tmp_path) == []


def test_an_unknown_option_is_a_type_error(tmp_path):
    with pytest.raises(TypeError, match="'sede'"), replait.record(tmp_path / "x.replait", sede=7):
        raise AssertionError("not reached")


def test_unknown_values_are_refused(tmp_path):
    with pytest.raises(replait.UnsupportedOptionError, match="found 'all'"):
        with replait.record(tmp_path / "x.replait", values="all"):
            raise AssertionError("not reached")


def test_a_path_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "missing" / "x.replait"
    with pytest.raises(replait.ReplaitError, match="missing"), replait.record(path):
        raise AssertionError("not reached")


def test_one_recording_at_a_time(tmp_path):
    with replait.record(tmp_path / "a.replait"):
        with pytest.raises(replait.ReplaitError, match=r"already recording into .*a\.replait"):
            with replait.record(tmp_path / "b.replait"):
                raise AssertionError("not reached")
        kernels.settled(kernels.doubled(kernels.ones()))
    assert sorted(os.listdir(tmp_path)) == ["a.replait"]


def test_no_kernel_leaves_no_file_and_says_so(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "replait"), replait.record(tmp_path / "x.replait") as r:
        jax.block_until_ready(kernels.ones() + 1)
    assert "recorded 0 kernels" in caplog.text
    assert (r.kernels, r.run_id) == (0, None)
    assert os.listdir(tmp_path) == []


def hooked():
    classes = (
        callback._FlatCallback,
        shared_memory.SharedMemory,
        shared_memory.Semaphore,
        interpret_pallas_call.DMA,
        type(dispatch.runtime_tokens),
    )
    modules = (callback, interpret_pallas_call)
    return [dict(vars(owner)) for owner in (*classes, *modules)]


def test_jax_and_the_environment_are_put_back(tmp_path):
    variables = {name: os.environ.pop(name, None) for name in ("NPROC", "PJRT_NPROC")}
    try:
        before, get = hooked(), interpret_pallas_call.get.__wrapped__
        with replait.record(tmp_path / "x.replait"):
            assert hooked() != before
            kernels.settled(kernels.doubled(kernels.ones()))
        after = hooked()
        changed = [
            name
            for old, new in zip(before, after, strict=True)
            for name in {*old, *new}
            if old.get(name) is not new.get(name)
            # Module globals that JAX itself sets while it interprets.
            and name not in ("_shared_memory", "races", "dma_id_counter")
        ]
        assert changed == []
        assert interpret_pallas_call.get.__wrapped__ is get
        assert not {"NPROC", "PJRT_NPROC"} & set(os.environ)
    finally:
        os.environ.update({name: value for name, value in variables.items() if value})


def test_workers_are_asked_for_only_before_a_backend_starts(monkeypatch):
    monkeypatch.delenv("NPROC", raising=False)
    monkeypatch.setenv("PJRT_NPROC", "3")
    workers = _cures.Workers()
    workers.ask(backend_is_up=True)
    assert "NPROC" not in os.environ
    workers.ask(backend_is_up=False)
    assert os.environ["NPROC"] == os.environ["PJRT_NPROC"] == str(_cures.WORKERS)
    workers.restore()
    assert "NPROC" not in os.environ and os.environ["PJRT_NPROC"] == "3"


def test_importing_replait_imports_no_jax_and_changes_nothing():
    program = (
        "import sys, os; before = dict(os.environ); import replait; "
        "assert 'jax' not in sys.modules and 'replait._native' not in sys.modules; "
        "assert dict(os.environ) == before; print(replait.__version__)"
    )
    ran = commands.run(sys.executable, "-c", program)
    assert ran.code == 0, ran.err
    assert ran.out.strip() != "unknown"


def test_recording_starts_no_backend(tmp_path):
    program = (
        "import replait\n"
        f"with replait.record({str(tmp_path / 'x.replait')!r}):\n"
        "    from jax._src import xla_bridge\n"
        "    print(xla_bridge.backends_are_initialized())\n"
    )
    ran = commands.run(sys.executable, "-c", program)
    assert (ran.code, ran.out.strip()) == (0, "False"), ran.err
    assert xla_bridge is not None


def test_missing_jax_is_a_clear_error(monkeypatch, tmp_path):
    monkeypatch.setattr(_jax_support, "version_of", lambda name: None)
    with pytest.raises(replait.UnsupportedJaxError, match="needs JAX, which is not installed"):
        with replait.record(tmp_path / "x.replait"):
            raise AssertionError("not reached")


def test_an_old_jax_is_refused_by_name_with_what_is_supported(monkeypatch, tmp_path):
    monkeypatch.setattr(_jax_support, "version_of", lambda name: "0.8.3")
    with pytest.raises(replait.UnsupportedJaxError, match=r"jax 0\.8\.3 is too old.*0\.10\.2"):
        with replait.record(tmp_path / "x.replait"):
            raise AssertionError("not reached")


def test_a_jax_of_another_shape_is_refused_by_the_name_that_differs(monkeypatch, tmp_path):
    monkeypatch.delattr(shared_memory.Semaphore, "wait")
    with pytest.raises(replait.UnsupportedJaxError, match="differs in wait"):
        with replait.record(tmp_path / "x.replait"):
            raise AssertionError("not reached")


def test_an_error_that_nobody_waited_for_is_raised_at_the_end(tmp_path):
    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        with replait.record(tmp_path / "x.replait"):
            failing_kernels.one_device_of_two_fails()
    assert any("Out-of-bounds swap" in note for note in raised.value.__notes__)
    assert os.listdir(tmp_path) == ["x.replait"]


def test_an_error_that_the_program_has_met_is_not_raised_again(tmp_path):
    with replait.record(tmp_path / "x.replait") as recording:
        with pytest.raises(jax.errors.JaxRuntimeError):
            jax.block_until_ready(failing_kernels.one_device_of_two_fails())
    assert recording.failures == 1


def test_an_error_in_the_block_passes_through(tmp_path):
    with pytest.raises(ZeroDivisionError), replait.record(tmp_path / "x.replait"):
        kernels.settled(kernels.doubled(kernels.ones()))
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == ["x.replait"]


class FailingSink(FakeSink):
    """A native recorder with a fault of its own."""

    def signal(self, *_):
        raise RuntimeError("a count was wrong")


def test_an_own_fault_ends_the_recording_and_not_the_program(tmp_path):
    recording = _record.begin(tmp_path / "x.replait", make_sink=FailingSink)
    try:
        result = kernels.settled(kernels.ring())
    finally:
        with pytest.raises(replait.InternalError, match="a count was wrong"):
            _record.end(recording)
    assert result.shape == (16, 8, 128)
    with replait.record(tmp_path / "next.replait") as following:
        kernels.settled(kernels.doubled(kernels.ones()))
    assert following.kernels == 1


def test_a_forked_child_does_not_write_into_the_trace(tmp_path):
    program = (
        "import os, sys\n"
        f"sys.path.insert(0, {str(commands.TESTS)!r})\n"
        "import kernels, replait\n"
        f"with replait.record({str(tmp_path / 'x.replait')!r}) as recording:\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        os._exit(1 if recording.live else 0)\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "    kernels.settled(kernels.doubled(kernels.ones()))\n"
        "print(recording.kernels)\n"
    )
    ran = commands.run(sys.executable, "-W", "ignore", "-c", program)
    assert (ran.code, ran.out.strip()) == (0, "1"), ran.err
    assert commands.replait("replay", tmp_path / "x.replait").code == 0


@pytest.mark.parametrize("other", ["jaxlib", "google.protobuf.message", "grpc", "pyarrow"])
@pytest.mark.parametrize("native_first", [True, False])
def test_one_process_with(other, native_first):
    pytest.importorskip(other)
    names = ["replait._native", other]
    program = "".join(f"import {name}\n" for name in (names if native_first else names[::-1]))
    program += "import google.protobuf.descriptor_pb2\n" if other.startswith("google") else ""
    ran = commands.run(sys.executable, "-c", program + "print('both')")
    assert (ran.code, ran.out.strip()) == (0, "both"), ran.err
