"""One kernel call as the recorder sees it: its agents, where each is, and how it ended.

A Context is what one agent is doing in one callback. An access waits in it until it is known
whether the callback raises after the access itself (JAX checks bounds afterwards).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from replait._sources import private_text
from replait._stamps import thread_state

if TYPE_CHECKING:
    from replait._recording import Recording
    from replait._tracing import LaunchNote, Note

ATTRIBUTE = "_replait_launch"  # Of a recorded SharedMemory.
_RECORDED = "_replait_recorded"  # Of an exception that an event already carries.
FOLLOWS = "Computation failed"  # How JAX begins the error of a thread that another one stopped.

LAUNCH_START, LAUNCH_END, CORES_START, CORES_END = range(4)  # As BarrierKind in src/trace/rows.h.

Error = tuple[str, str, bool]  # Type, text, whether it only follows from another agent's error.


def error_of(raised: BaseException, follows: bool = False) -> Error:
    """What an event says of `raised`; `follows`: another agent had failed already."""
    text = str(raised).strip()
    repeats = text.startswith(FOLLOWS)
    follows = follows or repeats or isinstance(raised, threading.BrokenBarrierError)
    lines = text.splitlines()
    if follows and len(lines) > 1:
        # JAX repeats the first cause with its traceback, which names this machine's folders.
        text = f"{lines[0]} {lines[-1]}" if repeats else lines[-1]
    return type(raised).__name__, private_text(text), follows


class Access:
    """A read, write or swap that took effect, or raised, at `stamp`."""

    __slots__ = ("key", "kind", "mask", "range", "stamp", "value")

    def __init__(
        self, kind: str, stamp: int, key: Any, access_range: Any, mask: Any, value: Any
    ) -> None:
        self.kind = kind
        self.stamp = stamp
        self.key = key
        self.range = access_range
        self.mask = mask
        self.value = value  # What is stored; of a read nothing.


class Context:
    """What one thread of a launch does in one callback."""

    __slots__ = (
        "access",
        "agent",
        "attempt",
        "core",
        "device",
        "launch",
        "note",
        "place",
        "printed",
        "source",
        "window",
    )  # fmt: skip

    def __init__(
        self, launch: Launch, device: int, core: int, source: int, note: Note | None = None
    ) -> None:
        self.launch = launch
        self.device = device
        self.core = core
        self.place = (device, core)
        self.agent = launch.agent(self.place)
        self.source = source
        self.note = note
        self.access: Access | None = None
        self.window: Any = None
        self.printed: str | None = None
        self.attempt: Callable[[Error], None] | None = None  # Records the op as refused.

    def finish(
        self, raised: BaseException | None, value: Any = None, follows: bool = False
    ) -> None:
        """The callback, or the error in it, is complete. `value`: what a read returned."""
        access, self.access = self.access, None
        if access is not None:
            self._push_access(access, value, self.error(raised))
        elif raised is not None and not hasattr(raised, _RECORDED):
            error = self.error(raised, follows)
            assert error is not None
            self._push_error(error)

    def error(self, raised: BaseException | None, follows: bool = False) -> Error | None:
        """What an event says of `raised`, which counts as recorded from now on."""
        if raised is None:
            return None
        with contextlib.suppress(AttributeError):  # Has slots: a second event may follow.
            setattr(raised, _RECORDED, True)
        error = error_of(raised, follows)
        if not self.launch.failed and not error[2]:
            where = f"on device {self.device}, core {self.core}"
            self.launch.recording.first_cause = f"{error[0]}: {error[1]} {where}"
        self.launch.failed = True
        return error

    def _push_access(self, access: Access, value: Any, error: Error | None) -> None:
        sink, push = self.launch.sink, self.launch.recording.push
        head = (access.stamp, self.agent, self.source, access.key, access.range)
        if access.kind == "read":
            push(sink.read, *head, self.window, value, error)
        elif access.kind == "write":
            push(sink.write, *head, self.window, access.value, error)
        elif access.kind == "swap":
            push(sink.swap, *head, access.mask, access.value, value, error)
        else:
            push(sink.check_semaphores, access.stamp, self.agent, self.source, self.printed)

    def _push_error(self, error: Error) -> None:
        if self.place in self.launch.raised:
            return
        self.launch.raised.add(self.place)
        if self.attempt is not None and not error[2]:
            self.attempt(error)
            return
        self.launch.recording.push(
            self.launch.sink.raise_error, self.launch.draw(), self.agent, self.source, error
        )


READ, SIGNAL_SEND, WRITE, SIGNAL_RECEIVE = 0, 1, 2, 4  # As CopyPhase in src/trace/event.h.


class CopyContext(Context):
    """What an async copy does while some thread runs it."""

    __slots__ = ("phase", "signal_phase")

    def __init__(self, launch: Launch, issuer: Context, copy: int) -> None:
        super().__init__(launch, issuer.device, issuer.core, issuer.source)
        self.agent = copy
        self.phase, self.signal_phase = READ, SIGNAL_SEND

    def begin(self, phase: int, signal_phase: int) -> None:
        self.phase, self.signal_phase = phase, signal_phase

    def _push_access(self, access: Access, value: Any, error: Error | None) -> None:
        moved = value if access.kind == "read" else access.value
        self._step(access.stamp, self.phase, moved, None, error)

    def _push_error(self, error: Error) -> None:
        self._step(self.launch.draw(), self.phase, None, None, error)

    def signalled(self, stamp: int, count: int | None, error: Error | None) -> None:
        self._step(stamp, self.signal_phase, None, count, error)

    def _step(
        self, stamp: int, phase: int, value: Any, count: int | None, error: Error | None
    ) -> None:
        launch = self.launch
        launch.recording.push(
            launch.sink.copy_step, stamp, self.agent, self.source, phase, value, count, error
        )


class SemaphoreWait(NamedTuple):
    """A thread in the middle of a wait."""

    agent: int
    source: int
    place: tuple[int, int, int, bool]
    demand: int
    semaphore: Any  # JAX's.
    core: int  # Among all of the launch.

    def is_blocked(self) -> bool:
        semaphore, core = self.semaphore, self.core
        return semaphore.count_by_core[core] < self.demand and not semaphore.tasks[core]


class BarrierWait(NamedTuple):
    """A thread that has arrived at a barrier."""

    agent: int
    source: int
    kind: int
    device: int
    arrivals: int
    interpreter_only: bool


class Launch:
    """A recorded kernel call. Events of one agent are pushed in its own order."""

    def __init__(
        self, recording: Recording, devices: int, cores: int, params: Any, note: LaunchNote | None
    ) -> None:
        self.recording = recording
        self.sink, self.draw = recording.sink, recording.draw
        self.devices, self.cores = devices, cores
        self.note = note
        self.source = recording.sources.of_launch(note) if note else 0
        self.number: int = self.sink.launch(
            note.kernel if note else "pallas_call",
            self.source,
            devices,
            cores,
            params.out_of_bounds_reads == "raise",
            params.uninitialized_memory == "nan",
            params.dma_execution_mode == "eager",
            params.vector_clock_size or 0,
        )
        self.failed = False
        self.raised: set[tuple[int, int]] = set()  # Threads that raised.
        self.memory: Any = None  # JAX's SharedMemory.
        self.waits: dict[tuple[int, int], SemaphoreWait] = {}  # By thread.
        self.at_barrier: dict[tuple[int, int], BarrierWait] = {}
        self.entered: set[int] = set()  # Devices.
        self.executing: set[int] = set()  # OS threads that run a copy.
        self._agents: dict[tuple[int, int], int] = {}
        self._named: set[int] = set()
        self._fixed: set[int] = set()  # Fixed-id semaphores that exist.
        self._left: set[int] = set()  # Devices that are through with the launch.
        self._forked: set[int] = set()  # Devices whose cores have started.
        self.done_cores: set[tuple[int, int]] = set()  # Of several cores: those that are through.
        self._steps: dict[tuple[int, int], int] = {}
        self._announced: dict[tuple[int, int], tuple[int, ...]] = {}

    def agent(self, place: tuple[int, int]) -> int:
        agent = self._agents.get(place)
        if agent is None:
            agent = self._agents[place] = self.sink.thread(self.number, *place)
        return agent

    def push(self, method: Any, place: tuple[int, int], *args: Any) -> None:
        self.recording.push(method, self.draw(), self.agent(place), self.source, *args)

    # Entering, leaving, grid steps.

    def enter(self, device: int, core: int, error: Error | None = None) -> None:
        self.entered.add(device)
        self.push(self.sink.enter, (device, core), error)

    def cores_barrier(self, device: int) -> None:
        """JAX's callback before the cores of a device start, and after they are done."""
        starting = device not in self._forked
        self._forked.add(device)
        places = [(device, core) for core in range(self.cores)]
        if starting:
            if self.cores > 1:
                self.arrive(CORES_START, device, places[:1])
                for place in places[1:]:
                    self.enter(*place)
                self.await_barrier(CORES_START, device, places)
            for place in places:
                self.announce_step(place)
        elif self.cores > 1:
            for place in places:
                self.core_done(place)
            self.await_barrier(CORES_END, device, places[:1])
            self.at_barrier.pop(places[0], None)

    def core_done(self, place: tuple[int, int]) -> None:
        """One of several cores is through with its grid steps."""
        if place in self.done_cores:
            return
        self.done_cores.add(place)
        self.arrive(CORES_END, place[0], [place])
        if place[1] > 0:
            self.push(self.sink.exit, place)
        else:
            self.wait_at(CORES_END, place)

    def announce_step(self, place: tuple[int, int]) -> None:
        """The thread begins its next grid step, where its point is known."""
        if self.note is None or self.note.points is None:
            return
        point = self.note.points.point(place[1], self._steps.get(place, 0))
        if point is not None:
            self.at_point(place, point)
        elif self.cores > 1:
            self.core_done(place)

    def at_point(self, place: tuple[int, int], point: tuple[int, ...]) -> None:
        if self._announced.get(place) != point:
            self._announced[place] = point
            self.push(self.sink.grid_step, place, point)

    def end_step(self, place: tuple[int, int], indices: tuple[int, ...]) -> None:
        if place not in self._announced:
            self.at_point(place, indices)
        self._announced.pop(place, None)
        self._steps[place] = self._steps.get(place, 0) + 1
        self.announce_step(place)

    def leave(self, device: int) -> None:
        self.at_barrier.pop((device, 0), None)
        self.await_barrier(LAUNCH_END, 0, [(device, 0)])
        self.push(self.sink.exit, (device, 0))
        self.device_done(device)

    def device_done(self, device: int) -> None:
        self._left.add(device)
        if len(self._left) == self.devices:
            self.recording.launch_done(self)

    # Barriers.

    def arrive(self, kind: int, device: int, places: list[tuple[int, int]]) -> None:
        for place in places:
            self.push(self.sink.arrive, place, *self._barrier(kind, device))

    def await_barrier(self, kind: int, device: int, places: list[tuple[int, int]]) -> None:
        for place in places:
            self.push(self.sink.await_barrier, place, *self._barrier(kind, device))

    def wait_at(self, kind: int, place: tuple[int, int]) -> None:
        """The thread has arrived at a barrier that it may have to wait at."""
        device = place[0] if kind == CORES_END else 0
        self.at_barrier[place] = BarrierWait(
            self.agent(place), self.source, *self._barrier(kind, device)
        )

    def _barrier(self, kind: int, device: int) -> tuple[int, int, int, bool]:
        """(kind, device, arrivals, interpreter-only)"""
        arrivals = {CORES_START: 1, CORES_END: self.cores}.get(kind, self.devices)
        real_start = self.note is None or self.note.start_barrier_is_real
        only_jax = kind == LAUNCH_END or (kind == LAUNCH_START and not real_start)
        return kind, device, arrivals, only_jax

    # Semaphores.

    def semaphore(self, fixed: bool, global_core: int, number: int) -> tuple[int, int, int, bool]:
        """(device, core, id, fixed). A negative core wraps around, as JAX's does."""
        total = self.devices * self.cores
        if -total <= global_core < 0:
            global_core += total
        device, core = divmod(global_core, self.cores)
        return device, core, number, fixed

    def name_semaphore(self, number: int, dma: bool, name: str) -> None:
        if number not in self._named:
            self._named.add(number)
            self.recording.push(self.sink.name_semaphore, self.number, number, dma, name)

    def create_fixed(self, context: Context, number: int) -> None:
        """A barrier semaphore comes into being at its first use."""
        if number not in self._fixed:
            self._fixed.add(number)
            semaphore = (context.device, context.core, number, True)
            self.recording.push(
                self.sink.create_semaphore, self.draw(), context.agent, context.source, semaphore
            )


def recorded_launch(shared_memory: Any) -> Launch | None:
    """The launch of a SharedMemory, if it is being recorded."""
    launch: Launch | None = vars(shared_memory).get(ATTRIBUTE)
    return launch if launch is not None and launch.recording.live else None


def current_context(launch: Launch, thread: tuple[int, int]) -> Context:
    """The callback's context; for a direct call of JAX's memory by other code, one of its own."""
    context = thread_state.context
    if context is not None and context.launch is launch:
        return context
    return Context(launch, thread[0], thread[1], launch.source)
