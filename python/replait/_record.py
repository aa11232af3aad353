"""replait.record, and what it refuses."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Iterator
from typing import Any

from replait._errors import ReplaitError, UnsupportedOptionError
from replait._recording import Recording, Values

log = logging.getLogger("replait")

_active: Recording | None = None
_active_lock = threading.Lock()

# Options of later versions: refused, since ignoring one would record something else than was asked.
_LATER = {
    "seed": "choosing the schedule needs the gate, which this version does not have: "
    "kernels run on JAX's own threads, as they come",
    "scheduler": "choosing the schedule needs the gate, which this version does not have",
    "keep": "every recording is kept",
    "keep_last": "every launch is kept",
    "on_race": "races are judged from the trace: replait check FILE",
    "interpret": "only kernels that are given interpret=pltpu.InterpretParams(...) are recorded",
    "dma_mode": "give it to the kernel: InterpretParams(dma_execution_mode=...)",
    "cores": "give it to the kernel: InterpretParams(num_cores_or_threads=...)",
    "devices": "set XLA_FLAGS=--xla_force_host_platform_device_count=N before JAX starts",
    "device_kind": "the device kind is not simulated",
    "kernel": "every kernel is recorded",
    "launch": "every launch is recorded",
}


@contextlib.contextmanager
def record(
    path: str | os.PathLike[str],
    *,
    values: Values = "none",
    environment: bool = True,
    **later: Any,
) -> Iterator[Recording]:
    """Records every TPU-interpret-mode kernel that runs in the `with` block into one trace.

    Kernels are those called with `interpret=pltpu.InterpretParams(...)`, or under
    `pltpu.force_tpu_interpret_mode`; also ones that were jitted before. They run as they always
    do, on JAX's own threads. Leaving the block waits for every launch begun inside it.

    Args:
      path: the trace, usually NAME.replait. Until it is finished it is NAME.replait.partial.
      values: what is kept of the arrays that are read and written: nothing, a 128-bit hash each,
        or their bytes.
      environment: whether the versions of JAX, numpy, Python and the like are kept. Nothing else of
        the environment ever is.

    Raises:
      UnsupportedJaxError: JAX is missing, or is a version that cannot be recorded.
      UnsupportedOptionError: an option of a later version, such as seed=.
      ReplaitError: another recording is on, or the path cannot be written.
      InternalError: a fault of replait itself, at the end of the block.
      Whatever a launch raised that was not waited for in the block.
    """
    for name in later:
        if name not in _LATER:
            raise TypeError(f"record() got an unexpected keyword argument {name!r}")
        raise UnsupportedOptionError(f"record({name}=...) is not supported yet: {_LATER[name]}")
    if values not in ("none", "hash", "full"):
        raise UnsupportedOptionError(
            f"expected values to be 'none', 'hash' or 'full', found {values!r}"
        )
    recording = begin(path, values=values, environment=environment)
    try:
        yield recording
    except BaseException as error:
        _end_after(recording, error)
        raise
    else:
        end(recording)


def begin(path: str | os.PathLike[str], **options: Any) -> Recording:
    """Switches the recorder on; `end` must follow."""
    global _active
    with _active_lock:
        if _active is not None:
            raise ReplaitError(
                f"already recording into {_active.path}: one recording at a time in a process"
            )
        recording = Recording(path, **options)
        recording.start()
        _active = recording
    return recording


def end(recording: Recording, interrupted: bool = False) -> None:
    global _active
    try:
        recording.stop(interrupted)
    finally:
        with _active_lock:
            _active = None


def _end_after(recording: Recording, error: BaseException) -> None:
    """The block raised `error`, which is what the user must see."""
    try:
        end(recording, interrupted=isinstance(error, KeyboardInterrupt))
    except Exception as second:
        log.debug("also raised while the recording ended", exc_info=second)


def _after_fork() -> None:
    if _active is not None:
        _active.forget_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
