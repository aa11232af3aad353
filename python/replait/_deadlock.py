"""Seeing that a kernel can never go on, where JAX would wait for ever.

A watching thread looks, a few times a second, whether every thread of every open launch is blocked:
in a wait whose count is too small and that no pending copy can help, or at a barrier. The copies
that nobody waits for are run first, as they may run at any time. If nothing moves then, the trace
is finished with what each thread waits for, and the launch fails in JAX's own way, which releases
the threads.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from replait._launch import LAUNCH_END, LAUNCH_START

if TYPE_CHECKING:
    from replait._launch import Launch
    from replait._recording import Recording

log = logging.getLogger("replait")

_SECONDS = 0.2  # Between two looks; a deadlock has been seen twice.


class Deadlock(RuntimeError):
    """Raised in the threads of a kernel that can never go on."""


def is_stuck(launch: Launch) -> bool:
    """Whether no thread of the launch can move. Threads between two callbacks can."""
    if launch.failed or launch.executing or len(launch.entered) < launch.devices:
        return False
    waits, at_barrier = dict(launch.waits), dict(launch.at_barrier)
    for device in range(launch.devices):
        barrier = at_barrier.get((device, 0))
        if barrier is not None and barrier.kind in (LAUNCH_START, LAUNCH_END):
            continue  # It has no cores running.
        places = [(device, core) for core in range(launch.cores)]
        left = [place for place in places if place not in launch.done_cores]
        if not left:
            return False  # The device goes on without its cores.
        if not all(place in waits and waits[place].is_blocked() for place in left):
            return False
    return bool(waits)


def _run_a_copy(launch: Launch) -> bool:
    """Runs a copy that nobody waits for. False: there is none."""
    memory = launch.memory
    with memory.lock:
        semaphores = [*memory.sem.values(), *memory.fixed_id_sem.values()]
    for semaphore in semaphores:
        for tasks in semaphore.tasks:
            with semaphore.cv:
                task = tasks.pop() if tasks else None
            if task is None:
                continue
            try:
                task()
            except Exception as error:
                memory.set_failed(error, top_level=False)
            return True
    return False


class Watch:
    """The watching thread of a recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="replait-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        before = -1
        while not self._ended.wait(_SECONDS):
            now = self._recording.sink.events()
            if now == before and self._recording.live:
                self._recording.guard(self._look)
            before = now

    def _look(self) -> None:
        launches = self._recording.open_launches()
        if not launches or not all(is_stuck(launch) for launch in launches):
            return
        moved = False
        while any(_run_a_copy(launch) for launch in launches):
            moved = True
        if moved:
            return
        log.error("deadlock: no thread of the kernel can go on; the trace says what each waits for")
        self._recording.deadlocked()
        for launch in launches:
            launch.memory.set_failed(
                Deadlock("replait found a deadlock: no thread of this kernel can go on"),
                top_level=False,
            )
