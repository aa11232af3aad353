"""Async copies: the issue by a thread, then four events of the copy itself.

JAX runs a copy inside the callback of whoever waits (or of the issuer, in eager mode), so while one
runs, the thread's context is the copy's. JAX's `DMA.lock` makes its phases follow one another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from replait._launch import (
    READ,
    SIGNAL_RECEIVE,
    SIGNAL_SEND,
    WRITE,
    Context,
    CopyContext,
    Error,
    recorded_launch,
)
from replait._stamps import thread_state

if TYPE_CHECKING:
    from replait._patches import Patches
    from replait._recording import Recording

Method = Callable[..., Any]
_COPY = "_replait_copy"  # Of a recorded DMA.


class CopyHooks:
    """Replaces the methods of JAX's DMA, and what they call, while a recording is on."""

    def __init__(self, recording: Recording, patches: Patches) -> None:
        self._recording = recording
        self._patches = patches
        self._tpu = recording.jax.tpu
        self._to_range = recording.jax.utils.to_range

    def install(self) -> None:
        dma, replace = self._tpu.DMA, self._patches.replace
        replace(dma, "__init__", self._init(dma.__init__))
        replace(dma, "execute_read", self._phase(dma.execute_read, READ, SIGNAL_SEND))
        replace(dma, "execute_write", self._phase(dma.execute_write, WRITE, SIGNAL_RECEIVE))
        for function in (self._tpu.get, self._tpu.store):
            replace(function, "__wrapped__", self._inner(function.__wrapped__))

    def refuse(self, context: Context, args: tuple[Any, ...], error: Error) -> None:
        """JAX raised before the copy was made: `args` are those of `dma_start`."""
        space, buffer, transforms = args[3:6]
        source = (int(space), int(buffer), context.device, context.core, transforms)
        space, buffer, transforms = args[6:9]
        device = context.device if args[11] is None else int(args[11])
        core = context.core if len(args) < 13 or args[12] is None else int(args[12])
        destination = (int(space), int(buffer), device, core, transforms)
        cores = context.launch.cores
        send = None if args[10] is None else (int(args[10]), context.device * cores + context.core)
        self._issue(
            context, source, destination, send, (int(args[9]), device * cores + core), error
        )

    def _issue(
        self,
        context: Context,
        source: Any,
        destination: Any,
        send: tuple[int, int] | None,
        receive: tuple[int, int],
        error: Error | None,
    ) -> int | None:
        """Operands are (space, buffer, device, core, transforms), semaphores (id, global core)."""
        launch, fixed_ids = context.launch, self._tpu._shared_memory.fixed_id_sem
        semaphores: list[tuple[int, int, int, bool] | None] = []
        for semaphore in (send, receive):
            if semaphore is None:
                semaphores.append(None)
                continue
            number, core = semaphore
            if number in fixed_ids:
                launch.create_fixed(context, number)
            semaphores.append(launch.semaphore(number in fixed_ids, core, number))
        copy: int | None = self._recording.push(
            launch.sink.issue_copy,
            launch.draw(),
            context.agent,
            context.source,
            self._key(*source[:4]),
            self._range(source[4]),
            self._key(*destination[:4]),
            self._range(destination[4]),
            *semaphores,
            error,
        )
        return copy

    def _key(self, space: int, buffer: int, device: int, core: int) -> tuple[str, int, int, int]:
        name = self._tpu.TPU_MEMORY_SPACE_NAMES[space]
        return name, buffer, device, 0 if name in ("any", "hbm") else core

    def _range(self, transforms: Any) -> Any:
        try:
            integers = self._recording.jax.tree_util.tree_map(int, transforms)
            return self._to_range(integers)
        except (AttributeError, AssertionError, TypeError):  # JAX fails when the copy runs.
            return ()

    def _init(self, original: Method) -> Method:
        def __init__(dma: Any, *args: Any, **kwargs: Any) -> None:
            original(dma, *args, **kwargs)
            context = thread_state.context
            if context is None or recorded_launch(dma.dst_sem.shared_memory) is not context.launch:
                return
            copy = self._recording.guard(self._issue_dma, context, dma)
            if copy is not None:
                setattr(dma, _COPY, CopyContext(context.launch, context, copy))

        return __init__

    def _issue_dma(self, context: Context, dma: Any) -> int | None:
        source = (
            dma.src_memory_space, dma.src_buffer_id, dma.src_device_id, dma.src_local_core_id,
            dma.src_transforms,
        )  # fmt: skip
        destination = (
            dma.dst_memory_space, dma.dst_buffer_id, dma.dst_device_id, dma.dst_local_core_id,
            dma.dst_transforms,
        )  # fmt: skip
        send = None if dma.src_sem is None else (dma.src_sem.id, dma.src_global_core_id)
        receive = (dma.dst_sem.id, dma.dst_global_core_id)
        return self._issue(context, source, destination, send, receive, None)

    def _phase(self, original: Method, phase: int, signal_phase: int) -> Method:
        def execute(dma: Any) -> Any:
            copy: CopyContext | None = vars(dma).get(_COPY)
            if copy is None:
                return original(dma)
            outer = thread_state.context, thread_state.phase
            thread_state.context, thread_state.phase = copy, (phase, signal_phase)
            executing, thread = copy.launch.executing, threading.get_ident()
            executing.add(thread)
            try:
                original(dma)
            finally:
                executing.discard(thread)
                thread_state.context, thread_state.phase = outer

        return execute

    def _inner(self, original: Method) -> Method:
        """`get` or `store` as a copy calls it: below JAX's error wrapper, its result at hand."""

        def inner(*args: Any, **kwargs: Any) -> Any:
            context = thread_state.context
            if not isinstance(context, CopyContext):
                return original(*args, **kwargs)
            context.begin(*thread_state.phase)
            try:
                result = original(*args, **kwargs)
            except BaseException as raised:
                self._recording.guard(context.finish, raised)
                raise
            moved = result[1] if isinstance(result, tuple) else None
            self._recording.guard(context.finish, None, moved)
            return result

        return inner
