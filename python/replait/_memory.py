"""The hooks below the callbacks: JAX's memory and semaphores, where an op's facts are exact.

Each replaced method runs JAX's own between drawing a number under JAX's lock (_stamps.py) and
telling the recording what happened. On an object of a launch that is not recorded it does nothing
but call JAX's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from replait._launch import (
    ATTRIBUTE,
    LAUNCH_END,
    Access,
    Context,
    CopyContext,
    Launch,
    SemaphoreWait,
    current_context,
    recorded_launch,
)
from replait._stamps import (
    SemaphoreRequest,
    StampingCondition,
    StampingLock,
    take_stamp,
    thread_state,
)

if TYPE_CHECKING:
    from replait._patches import Patches
    from replait._recording import Recording

Method = Callable[..., Any]


class MemoryHooks:
    """Replaces the methods while a recording is on."""

    def __init__(self, recording: Recording, patches: Patches) -> None:
        self._recording = recording
        self._patches = patches

    def install(self) -> None:
        shared_memory = self._recording.jax.memory.SharedMemory
        semaphore = self._recording.jax.memory.Semaphore
        for owner, names in (
            (shared_memory, _SHARED_MEMORY_METHODS),
            (semaphore, ("__init__", "signal", "wait")),
        ):
            prefix = "memory" if owner is shared_memory else "semaphore"
            for name in names:
                make = getattr(self, f"_{prefix}_{name.strip('_')}")
                self._patches.replace(owner, name, make(getattr(owner, name)))

    # SharedMemory.

    def _memory_init(self, original: Method) -> Method:
        def __init__(memory: Any, *args: Any, **kwargs: Any) -> None:
            original(memory, *args, **kwargs)
            launch = self._recording.begin_launch(memory)
            if launch is not None:
                setattr(memory, ATTRIBUTE, launch)
                launch.memory = memory
                memory.lock = StampingLock(memory.lock, launch.draw)

        return __init__

    def _memory_get_buffer_content(self, original: Method) -> Method:
        def get_buffer_content(
            memory: Any, key: Any, rnge: Any, thread: Any, *a: Any, **k: Any
        ) -> Any:
            launch = recorded_launch(memory)
            if launch is None:
                return original(memory, key, rnge, thread, *a, **k)
            with self._access(launch, "read", key, rnge, thread) as done:
                result = original(memory, key, rnge, thread, *a, **k)
                done.append(result[0])
            return result

        return get_buffer_content

    def _memory_store_buffer_content(self, original: Method) -> Method:
        def store_buffer_content(
            memory: Any, key: Any, rnge: Any, value: Any, thread: Any, *a: Any, **k: Any
        ) -> Any:
            launch = recorded_launch(memory)
            if launch is None:
                return original(memory, key, rnge, value, thread, *a, **k)
            with self._access(launch, "write", key, rnge, thread, value):
                return original(memory, key, rnge, value, thread, *a, **k)

        return store_buffer_content

    def _memory_swap_buffer_content(self, original: Method) -> Method:
        def swap_buffer_content(
            memory: Any, key: Any, rnge: Any, value: Any, mask: Any, thread: Any, *a: Any, **k: Any
        ) -> Any:
            launch = recorded_launch(memory)
            if launch is None:
                return original(memory, key, rnge, value, mask, thread, *a, **k)
            with self._access(launch, "swap", key, rnge, thread, value, mask) as done:
                result = original(memory, key, rnge, value, mask, thread, *a, **k)
                done.append(result[0])
            return result

        return swap_buffer_content

    @contextlib.contextmanager
    def _access(
        self,
        launch: Launch,
        kind: str,
        key: Any,
        rnge: Any,
        thread: Any,
        value: Any = None,
        mask: Any = None,
    ) -> Iterator[list[Any]]:
        """Notes the access in the callback's context; of a direct call, records it."""
        context = current_context(launch, self._place(launch, thread))
        direct = context is not thread_state.context
        done: list[Any] = []
        thread_state.wanted = 1
        try:
            yield done
        except BaseException as raised:
            context.access = Access(kind, take_stamp(launch.draw), key, rnge, mask, value)
            context.finish(raised)
            raise
        context.access = Access(kind, take_stamp(launch.draw), key, rnge, mask, value)
        if direct:
            context.finish(None, done[0] if done else None)

    def _place(self, launch: Launch, thread: Any) -> tuple[int, int]:
        """JAX names a thread by (device, core), in 0.10 by the number of its core among all."""
        if isinstance(thread, tuple):
            return int(thread[0]), int(thread[1])
        return divmod(int(thread or 0), launch.cores)

    def _memory_allocate_buffer(self, original: Method) -> Method:
        def allocate_buffer(
            memory: Any, key: Any, ref_count: int, value: Any, *a: Any, **k: Any
        ) -> Any:
            launch = recorded_launch(memory)
            if launch is None:
                return original(memory, key, ref_count, value, *a, **k)
            context = current_context(launch, (key[2], key[3]))
            shape = a[0] if a else k.get("logical_shape")
            name = context.note.names[0] if context.note and context.note.names else ""
            # Others may write into the array as soon as it is in place.
            content = value.copy() if self._recording.keeps_values else None
            raised: BaseException | None = None
            thread_state.wanted = 1
            try:
                original(memory, key, ref_count, value, *a, **k)
            except BaseException as error:
                raised = error
                raise
            finally:
                self._recording.push(
                    launch.sink.allocate,
                    take_stamp(launch.draw),
                    context.agent,
                    context.source,
                    key,
                    value.dtype,
                    value.shape,
                    value.shape if shape is None else tuple(shape),
                    ref_count,
                    name,
                    content,
                    context.error(raised),
                )

        return allocate_buffer

    def _memory_deallocate_buffer(self, original: Method) -> Method:
        def deallocate_buffer(memory: Any, key: Any, *a: Any, **k: Any) -> Any:
            launch = recorded_launch(memory)
            if launch is None:
                return original(memory, key, *a, **k)
            context = current_context(launch, (key[2], key[3]))
            raised: BaseException | None = None
            thread_state.wanted = 1
            try:
                original(memory, key, *a, **k)
            except BaseException as error:
                raised = error
                raise
            finally:
                self._recording.push(
                    launch.sink.free,
                    take_stamp(launch.draw),
                    context.agent,
                    context.source,
                    key,
                    context.error(raised),
                )

        return deallocate_buffer

    def _memory_allocate_semaphores(self, original: Method) -> Method:
        def allocate_semaphores(memory: Any, key: Any, num_semaphores: int) -> Any:
            launch = recorded_launch(memory)
            if launch is None or num_semaphores == 0:
                return original(memory, key, num_semaphores)
            context = current_context(launch, divmod(key, launch.cores))
            thread_state.wanted = num_semaphores
            first: int = original(memory, key, num_semaphores)
            stamps, thread_state.stamps = thread_state.stamps, ()
            note = context.note
            for i, stamp in enumerate(stamps):
                if note is not None and i < len(note.names):
                    launch.name_semaphore(first + i, note.dma, note.names[i])
                semaphore = launch.semaphore(False, key, first + i)
                self._recording.push(
                    launch.sink.create_semaphore, stamp, context.agent, context.source, semaphore
                )
            return first

        return allocate_semaphores

    def _memory_guarantee_semaphore_with_fixed_id(self, original: Method) -> Method:
        def guarantee_semaphore_with_fixed_id(memory: Any, semaphore_id: int) -> None:
            original(memory, semaphore_id)
            launch = recorded_launch(memory)
            context = thread_state.context
            # JAX does not say which core asks: of several, the one that uses it first creates it.
            if launch is not None and context is not None and launch.cores == 1:
                launch.create_fixed(context, semaphore_id)

        return guarantee_semaphore_with_fixed_id

    def _memory_get_sempahores_with_nonzero_count(self, original: Method) -> Method:
        def get_sempahores_with_nonzero_count(memory: Any, device_id: int) -> Any:
            launch = recorded_launch(memory)
            context = thread_state.context
            if launch is None or context is None:
                return original(memory, device_id)
            # All counts at one moment, so that no signal comes between two of them.
            with memory.lock:
                semaphores = [*memory.sem.values(), *memory.fixed_id_sem.values()]
            with contextlib.ExitStack() as held:
                for semaphore in sorted(semaphores, key=id):
                    held.enter_context(semaphore.cv)
                result = original(memory, device_id)
                context.access = Access("check", launch.draw(), None, None, None, None)
            return result

        return get_sempahores_with_nonzero_count

    def _memory_set_failed(self, original: Method) -> Method:
        def set_failed(memory: Any, exception: BaseException, *args: Any, **kwargs: Any) -> Any:
            launch = recorded_launch(memory)
            context = thread_state.context
            if launch is None or context is None:
                return original(memory, exception, *args, **kwargs)
            follows = memory._failure is not None
            self._recording.guard(context.finish, exception, None, follows)
            if not kwargs.get("top_level", True):
                return original(memory, exception, *args, **kwargs)
            # JAX waits here for the other devices to come to the end of the launch.
            launch.arrive(LAUNCH_END, 0, [(context.device, 0)])
            try:
                original(memory, exception, *args, **kwargs)
            finally:
                launch.device_done(context.device)

        return set_failed

    # Semaphores.

    def _semaphore_init(self, original: Method) -> Method:
        def __init__(semaphore: Any, *args: Any, **kwargs: Any) -> None:
            original(semaphore, *args, **kwargs)
            launch = recorded_launch(semaphore.shared_memory)
            if launch is not None:
                semaphore.cv = StampingCondition(semaphore, launch.draw)

        return __init__

    def _semaphore_signal(self, original: Method) -> Method:
        def signal(semaphore: Any, inc: Any, global_core_id: Any, *a: Any, **k: Any) -> Any:
            launch = recorded_launch(semaphore.shared_memory)
            if launch is None:
                return original(semaphore, inc, global_core_id, *a, **k)
            core, context = int(global_core_id), thread_state.context or Context(launch, 0, 0, 0)
            with self._request(launch, context, semaphore, core, None, int(inc)):
                original(semaphore, inc, core, *a, **k)

        return signal

    def _semaphore_wait(self, original: Method) -> Method:
        def wait(semaphore: Any, value: Any, global_core_id: Any, *a: Any, **k: Any) -> Any:
            launch = recorded_launch(semaphore.shared_memory)
            if launch is None:
                return original(semaphore, value, global_core_id, *a, **k)
            core = int(global_core_id)
            context = current_context(launch, divmod(core, launch.cores))
            demand = int(value)
            with self._request(launch, context, semaphore, core, demand, demand) as place:
                launch.waits[context.place] = SemaphoreWait(
                    context.agent, context.source, place, demand, semaphore, core
                )
                try:
                    original(semaphore, value, core, *a, **k)
                finally:
                    launch.waits.pop(context.place, None)

        return wait

    @contextlib.contextmanager
    def _request(
        self,
        launch: Launch,
        context: Context,
        semaphore: Any,
        core: int,
        demand: int | None,
        amount: int,
    ) -> Iterator[tuple[int, int, int, bool]]:
        """One signal or wait (`demand` set), with its number drawn under the semaphore's lock."""
        fixed = semaphore.shared_memory.fixed_id_sem.get(semaphore.id) is semaphore
        place = launch.semaphore(fixed, core, semaphore.id)
        if fixed:
            launch.create_fixed(context, semaphore.id)
        request = SemaphoreRequest(semaphore.cv, core, demand)
        before, thread_state.request = thread_state.request, request
        raised: BaseException | None = None
        try:
            yield place
        except BaseException as error:
            raised = error
            raise
        finally:
            thread_state.request = before
            if request.stamp is not None:
                self._push_request(launch, context, request, place, amount, raised)

    def _push_request(
        self,
        launch: Launch,
        context: Context,
        request: SemaphoreRequest,
        place: Any,
        amount: int,
        raised: BaseException | None,
    ) -> None:
        stamp, count, error = request.stamp, request.count, context.error(raised)
        if isinstance(context, CopyContext):
            assert stamp is not None
            context.signalled(stamp, count, error)
            return
        method = launch.sink.signal if request.demand is None else launch.sink.wait
        self._recording.push(
            method, stamp, context.agent, context.source, place, amount, count, error
        )


_SHARED_MEMORY_METHODS = (
    "__init__",
    "get_buffer_content",
    "store_buffer_content",
    "swap_buffer_content",
    "allocate_buffer",
    "deallocate_buffer",
    "allocate_semaphores",
    "guarantee_semaphore_with_fixed_id",
    "get_sempahores_with_nonzero_count",
    "set_failed",
)
