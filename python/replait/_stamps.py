"""The order of events, taken under JAX's own locks.

JAX's interpreter protects each of its effects by a lock: a SharedMemory's `lock` or a Semaphore's
`cv`. Two ops are in the right order iff their numbers are drawn while that lock is held, so both
are replaced by locks that draw a number as they are released, when the thread has asked for one.
A wait has happened when its count is subtracted: that is decided as the lock is taken, on the same
count that JAX looks at next.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replait._launch import Context
    from replait._tracing import TraceScope

Draw = Callable[[], int]  # The next number of a recording.
failed_launches = 0  # In this process, ever.


def new_numbers() -> Draw:
    return itertools.count().__next__  # Atomic: one call into C.


class SemaphoreRequest:
    """A signal or a wait that this thread is in the middle of."""

    __slots__ = ("condition", "core", "count", "demand", "done", "stamp")

    def __init__(self, condition: Any, core: int, demand: int | None) -> None:
        self.condition = condition
        self.core = core
        self.demand = demand  # None: a signal.
        self.done = demand is None
        self.stamp: int | None = None
        self.count: int | None = None


class ThreadState(threading.local):
    """What this OS thread does for the interpreter just now."""

    context: Context | None = None
    wanted = 0  # Numbers to draw when the memory lock is released.
    stamps: tuple[int, ...] = ()
    request: SemaphoreRequest | None = None
    phase: tuple[int, int] = (0, 0)  # Of the copy that it runs, and of the signal that follows.
    opening: tuple[Any, Any] | None = None  # Parameters and note of the launch that it may begin.
    failures_seen = 0  # Failed launches whose tokens it has dropped.
    own_wait = False  # It waits for callbacks on the recorder's behalf.
    scope: TraceScope | None = None  # At trace time.


thread_state = ThreadState()


def take_stamp(draw: Draw) -> int:
    """The number drawn for the critical section that just ended; a new one if there was none."""
    if thread_state.wanted:
        thread_state.wanted = 0
        return draw()
    return thread_state.stamps[0]


class StampingLock:
    """Stands in for `SharedMemory.lock`."""

    __slots__ = ("_draw", "_lock")

    def __init__(self, lock: Any, draw: Draw) -> None:
        self._lock = lock
        self._draw = draw

    def acquire(self, *args: Any, **kwargs: Any) -> Any:
        return self._lock.acquire(*args, **kwargs)

    def release(self) -> None:
        wanted = thread_state.wanted
        if wanted:
            thread_state.stamps = tuple(self._draw() for _ in range(wanted))
            thread_state.wanted = 0
        self._lock.release()

    def locked(self) -> Any:
        return self._lock.locked()

    def __enter__(self) -> Any:
        return self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class StampingCondition(threading.Condition):
    """Stands in for `Semaphore.cv`."""

    def __init__(self, semaphore: Any, draw: Draw) -> None:
        super().__init__()
        self._draw = draw
        self._semaphore = semaphore

    def _count(self, core: int) -> int | None:
        try:
            return int(self._semaphore.count_by_core[core])
        except IndexError:  # A core that does not exist: JAX raises next.
            return None

    def __enter__(self) -> bool:
        entered = super().__enter__()
        request = thread_state.request
        if request is not None and request.condition is self and request.demand is not None:
            count = self._count(request.core)
            request.done = count is None or count >= request.demand
        return entered

    def __exit__(self, *args: Any) -> None:
        request = thread_state.request
        if (
            request is not None
            and request.condition is self
            and request.done
            and request.stamp is None
        ):
            request.stamp = self._draw()
            request.count = self._count(request.core)
        super().__exit__(*args)
