"""One recording: from switching the recorder on to a finished trace.

While a recording is on, JAX's TPU interpret mode runs as ever, on its own threads, and each of its
ops is told to the native Recorder (_native.pyi), which puts them into the order in which they took
effect and writes the trace. Nothing of a kernel is changed: what JAX did is what is recorded.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Literal

from replait import _cures, _deadlock, _environment, _jax_support, _stamps, _surfacing
from replait._callbacks import Callbacks
from replait._copies import CopyHooks
from replait._errors import InternalError
from replait._launch import Launch
from replait._memory import MemoryHooks
from replait._patches import Patches
from replait._sources import Frame, Sources, forget_folders
from replait._stamps import thread_state
from replait._tracing import Tracing

log = logging.getLogger("replait")

Values = Literal["none", "hash", "full"]
_STUCK_SECONDS = 10.0  # After a failure: how long nothing may happen before it is given up.


class Recording:
    """One trace in the making. Attributes that start with no underscore are for the user.

    path: where the finished trace will stand.
    kernels: how many kernel calls were recorded so far.
    findings: how many findings were seen while recording; set once it is finished.
    run_id: 32 hex digits; set once it is finished, None if nothing was recorded.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        values: Values = "none",
        environment: bool = True,
        make_sink: Callable[..., Any] | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self.kernels = 0
        self.findings = 0
        self.run_id: str | None = None
        self.live = False
        self.first_cause = ""  # Of the newest launch that failed.
        self.failures = 0
        self.failures_seen = 0  # Those whose error the program has met by now.
        self.keeps_values = values != "none"
        self.fault: BaseException | None = None
        self.draw = _stamps.new_numbers()
        self.jax = _jax_support.load()
        self.sink = self._open(values, environment, make_sink)
        self.sources = Sources(self.sink, self.jax.source_info_util.user_frames)
        self._patches = Patches()
        self._workers = _cures.Workers()
        self._open_launches: set[Launch] = set()
        self._refused: tuple[Launch, set[int]] | None = None
        self._watch = _deadlock.Watch(self)
        self._finished = False
        self._changed = threading.Condition()  # Reentrant.
        self._pid = os.getpid()

    def _open(self, values: Values, environment: bool, make_sink: Any) -> Any:
        if make_sink is None:
            from replait._native import Recorder as make_sink
        forget_folders()
        rows = _environment.environment(self.jax.jax.config) if environment else []
        program = os.path.basename(sys.argv[0] if sys.argv else "") or "python"
        return make_sink(
            os.path.abspath(self.path),  # The program may change its folder.
            jax_version=self.jax.version,
            program=program,
            values=values,
            options=[("values", values)],
            environment=rows,
        )

    # Switching on and off.

    def start(self) -> None:
        backend_is_up = self.jax.xla_bridge.backends_are_initialized()
        self._workers.ask(backend_is_up)
        memory = MemoryHooks(self, self._patches)
        copies = CopyHooks(self, self._patches)
        callbacks = Callbacks(self, copies, self._patches)
        try:
            memory.install()
            copies.install()
            callbacks.install()
            _cures.install(self, callbacks, self._patches)
            _surfacing.install(self, self._patches)
            self._install_tracing()
        except BaseException:
            self._patches.restore()
            self._workers.restore()
            self.sink.discard()
            raise
        self.live = True
        self._watch.start()

    def _install_tracing(self) -> None:
        tracing, tpu, patches = Tracing(self), self.jax.tpu, self._patches
        for owner, name, wrap in (
            (tpu, "interpret_pallas_call", tracing.wrap_interpret_pallas_call),
            (tpu, "_interpret_jaxpr", tracing.wrap_interpret_jaxpr),
            (self.jax.callback, "io_callback", tracing.wrap_io_callback),
        ):
            patches.replace(owner, name, wrap(getattr(owner, name)))

    def _switch_off(self) -> None:
        self.live = False
        self._watch.stop()
        self._patches.restore()
        self._workers.restore()

    def stop(self, interrupted: bool = False) -> None:
        """Waits for the launches begun, finishes the trace, and puts JAX back as it was.

        Raises what a launch raised that nobody has waited for, and InternalError after a fault of
        replait itself.
        """
        raised: BaseException | None = None
        try:
            if not interrupted:
                raised = self._wait()
        finally:
            self._switch_off()
            self.finish("failed" if self.failures else "finished")
        if self.failures:
            _cures.drop_failed(self.jax)
        if self.fault is not None and raised is None:
            raise InternalError(
                f"replait stopped recording: {self.fault}; what came before is kept in "
                f"{self.path}. Please report it with the traceback above"
            ) from self.fault
        if raised is not None:
            raise raised

    def _wait(self) -> BaseException | None:
        """Waits until every launch is through; returns an error that the program has not met."""
        raised: BaseException | None = None
        seen = self.failures_seen
        try:
            self.jax.jax.effects_barrier()
        except Exception as error:
            raised = error
        self.wait_for_launches()
        return raised if seen < self.failures or not self.failures else None

    def error_surfaced(self, raised: BaseException) -> None:
        """The program met an error of JAX: that of each launch that failed until now."""
        if thread_state.own_wait:
            return
        cause = f"replait: the first cause is {self.first_cause}"
        if self.first_cause and cause not in getattr(raised, "__notes__", ()):
            raised.add_note(cause)
        with self._changed:
            still_open = sum(launch.failed for launch in self._open_launches)
            self.failures_seen = self.failures + still_open

    def wait_for_launches(self) -> None:
        """Returns once no launch is open, or nothing has moved for a while after a failure."""
        before, since = -1, time.monotonic()
        with self._changed:
            while self._open_launches and self.fault is None and not self._finished:
                self._changed.wait(timeout=0.1)
                now = self.sink.events()
                if now != before or not any(launch.failed for launch in self._open_launches):
                    before, since = now, time.monotonic()
                elif time.monotonic() - since > _STUCK_SECONDS:
                    log.warning("%s: a failed kernel did not come to its end", self.path)
                    return

    def finish(self, kind: str) -> None:
        """Ends the trace; once."""
        with self._changed:
            if self._finished:
                return
            self._finished = True
            launches = list(self._open_launches)
        self.live = False
        if self.kernels == 0 and self.fault is None:
            self.sink.discard()
            log.warning(
                "recorded 0 kernels, so %s was not written: a kernel is recorded when it is a "
                "pallas_call or core_map with interpret=pltpu.InterpretParams(...)",
                self.path,
            )
            return
        waits = [tuple(wait[:4]) for launch in launches for wait in list(launch.waits.values())]
        barriers = [tuple(w) for launch in launches for w in list(launch.at_barrier.values())]
        if launches and kind == "finished":
            kind = "abandoned"
        try:
            self.run_id, self.findings = self.sink.finish(kind, waits, barriers)
        except Exception as error:
            self.fault = self.fault or error

    def deadlocked(self) -> None:
        """No thread of any launch can move: the recording ends here."""
        self.finish("deadlocked")
        with self._changed:
            self.failures += len(self._open_launches)
            _stamps.failed_launches += len(self._open_launches)
            self._open_launches.clear()
            self._changed.notify_all()

    def forget_in_child(self) -> None:
        """A forked child has the hooks but must not write into the parent's trace."""
        if os.getpid() != self._pid:
            self.live = False

    # Told by the hooks.

    def push(self, method: Callable[..., Any], *args: Any) -> Any:
        """Tells the sink of one event. A fault here must not reach the user's program."""
        if not self.live:
            return None
        try:
            return method(*args)
        except Exception as error:
            self._stop_at(error)
            return None

    def guard(self, function: Callable[..., Any], *args: Any) -> Any:
        """Runs the recorder's own code so that a fault in it ends the recording alone."""
        return self.push(function, *args)

    def _stop_at(self, error: BaseException) -> None:
        if self.fault is None:
            self.fault = error
            log.error("replait stopped recording", exc_info=error)
        self.live = False
        with self._changed:
            self._changed.notify_all()

    def begin_launch(self, memory: Any) -> Launch | None:
        """JAX made the memory of a launch: the launch begins. None: it is not to be recorded."""
        opening = thread_state.opening
        if opening is None or not self.live:
            return None
        params, note = opening
        launch: Launch | None = self.guard(
            Launch, self, memory.num_devices, memory.num_cores_per_device, params, note
        )
        if launch is not None:
            self._add(launch)
        return launch

    def _add(self, launch: Launch) -> None:
        with self._changed:
            self.kernels += 1
            self._open_launches.add(launch)

    def launch_refused(
        self, device: int, devices: int, cores: int, error: tuple[str, str, bool]
    ) -> None:
        """JAX refused the launch's parameters: each device enters, and fails at that."""
        params, note = thread_state.opening or (None, None)
        with self._changed:
            if self._refused is None or device in self._refused[1]:
                self._refused = (Launch(self, devices, cores, params, note), set())
                self._add(self._refused[0])
            launch, seen = self._refused
            seen.add(device)
        launch.failed = True
        launch.enter(device, 0, error)
        launch.device_done(device)

    def kernel_refused(self, params: Any, note: Any, error: NotImplementedError) -> None:
        """JAX refused an op while it traced a kernel, which so never runs."""
        what = _REFUSED.get(str(error))
        if what is None:
            return
        launch = Launch(self, 1, 1, params, note)
        with self._changed:
            self._add(launch)
        launch.failed = True
        launch.enter(0, 0)
        is_users = self.jax.source_info_util.is_user_filename
        users = [frame for frame in _frames_of(error) if is_users(frame.file_name)]
        frames = self.sources.id_of_frames(users)
        refused = (type(error).__name__, str(error), False)
        agent = launch.agent((0, 0))
        self.push(self.sink.refuse, self.draw(), agent, frames or launch.source, what, refused)
        launch.device_done(0)

    def has_failing_launch(self) -> bool:
        with self._changed:
            return any(launch.failed for launch in self._open_launches)

    def open_launches(self) -> list[Launch]:
        with self._changed:
            return list(self._open_launches)

    def launch_done(self, launch: Launch) -> None:
        with self._changed:
            if launch.failed:
                _stamps.failed_launches += 1
                self.failures += 1
            self._open_launches.discard(launch)
            self._changed.notify_all()


# As RefusedOp in src/trace/event.h.
_REFUSED = {"masked load_p": 0, "run_scoped_p with collective axes is not supported": 1}


def _frames_of(error: BaseException) -> Iterator[Frame]:
    """The program's frames where JAX says that the error comes from, innermost first."""
    cause = error.__cause__ or error
    frames = [
        Frame(code.filename, code.lineno or 0, 0, code.name)
        for code in traceback.extract_tb(cause.__traceback__)
    ]
    return reversed(frames)
