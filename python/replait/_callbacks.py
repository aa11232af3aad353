"""The choke point: every op of JAX's interpreter is a callback, and each comes by here.

`_FlatCallback.__call__` is looked up at call time, so kernels that were jitted before the recorder
was on come by as well. Here it is decided which thread of which launch acts, and where in the
program; what it does is recorded below (_memory.py), except for the ops that touch no memory:
entering, leaving, barriers, grid steps, checks.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from replait._launch import (
    ATTRIBUTE,
    LAUNCH_END,
    LAUNCH_START,
    Context,
    Error,
    Launch,
    error_of,
)
from replait._stamps import thread_state
from replait._tracing import Note, unwrap

if TYPE_CHECKING:
    from replait._copies import CopyHooks
    from replait._patches import Patches
    from replait._recording import Recording

Before = Callable[[Context, tuple[Any, ...], dict[str, Any]], None]
After = Callable[[Context, Any], None]


class Callbacks:
    """Replaces the call of a flat callback while a recording is on."""

    def __init__(self, recording: Recording, copies: CopyHooks, patches: Patches) -> None:
        self._recording = recording
        self._copies = copies
        self._patches = patches
        self._tpu = tpu = recording.jax.tpu
        self._thread_map = recording.jax.thread_map._thread_map_callback
        # What is done before and after each function. Those that name a core name it third.
        self._handlers: dict[Any, tuple[Before | None, After | None]] = {
            tpu._update_clocks_for_device_barrier: (self._before_cores, None),
            tpu._barrier: (self._before_barrier, self._after_barrier),
            tpu._clean_up_shared_memory: (self._before_clean_up, self._after_clean_up),
            tpu._check_for_revisiting: (self._before_revisiting, self._after_revisiting),
            tpu._validate: (None, self._finish),
            tpu._allocate_buffer: (None, None),
            tpu._deallocate_buffer: (None, None),
            tpu._allocate_semaphores: (None, None),
            tpu.get_barrier_semaphore: (None, None),
            tpu.get: (self._before_get, self._finish_read),
            tpu.store: (self._before_store, self._finish),
            tpu.swap: (None, self._finish_read),
            tpu.dma_start: (self._before_start, None),
            tpu.dma_wait: (self._before_wait, None),
            tpu.semaphore_signal: (self._before_signal, None),
            tpu.semaphore_wait: (self._before_wait, None),
            self._thread_map: (None, None),
        }
        self._coreless = {
            tpu._update_clocks_for_device_barrier,
            tpu._barrier,
            tpu._clean_up_shared_memory,
            tpu._validate,
            tpu.get_barrier_semaphore,
            self._thread_map,
        }

    def is_interpreters(self, callback: Any) -> bool:
        """Whether a flat callback is an op that takes plain arrays (_cures.py)."""
        function = unwrap(callback.callback_func)[0]
        return function in self._handlers and function is not self._thread_map

    def install(self) -> None:
        flat_callback = self._recording.jax.callback._FlatCallback
        original = flat_callback.__call__
        handlers, recording = self._handlers, self._recording
        initialize = self._tpu._initialize_shared_memory

        def __call__(callback: Any, *flat_args: Any) -> Any:
            function, keywords, note = unwrap(callback.callback_func)
            handler = handlers.get(function)
            if not recording.live or (handler is None and function is not initialize):
                return original(callback, *flat_args)
            args, kwargs = recording.jax.tree_util.tree_unflatten(callback.in_tree, flat_args)
            keywords = {**keywords, **kwargs}
            if handler is None:
                result = self._initialize(callback.callback_func, args, keywords, kwargs, note)
            else:
                context = recording.guard(self._context, function, args, keywords, note)
                result = self._run(callback.callback_func, handler, context, args, keywords, kwargs)
            return recording.jax.tree_util.tree_leaves(result)

        self._patches.replace(flat_callback, "__call__", __call__)
        self._patches.replace(self._tpu, "print", self._print)

    def _context(
        self, function: Any, args: tuple[Any, ...], keywords: dict[str, Any], note: Note | None
    ) -> Context | None:
        """Who acts, and where in the program. None: a launch that is not recorded."""
        memory = self._tpu._shared_memory
        launch: Launch | None = vars(memory).get(ATTRIBUTE) if memory is not None else None
        if launch is None or launch.recording is not self._recording:
            return None
        device = int(args[1]) if args[1] is not None else 0
        core = 0 if function in self._coreless or args[2] is None else int(args[2])
        sources = self._recording.sources
        if note is not None:
            source = sources.id_of_stack(note)
        else:
            source = sources.id_of(keywords.get("source_info"))
        return Context(launch, device, core, source or launch.source, note)

    def _run(
        self,
        function: Any,
        handler: tuple[Before | None, After | None],
        context: Context | None,
        args: tuple[Any, ...],
        keywords: dict[str, Any],
        kwargs: dict[str, Any],
    ) -> Any:
        if context is None:
            return function(*args, **kwargs)
        guard = self._recording.guard
        before, after = handler
        outer, thread_state.context = thread_state.context, context
        try:
            if before is not None:
                guard(before, context, args, keywords)
            result = function(*args, **kwargs)
        except BaseException as raised:
            guard(context.finish, raised)
            raise
        else:
            if after is not None:
                guard(after, context, result)
            return result
        finally:
            thread_state.context = outer

    # A launch begins with the first device that initializes its memory.

    def _initialize(
        self,
        function: Any,
        args: tuple[Any, ...],
        keywords: dict[str, Any],
        kwargs: dict[str, Any],
        note: Note | None,
    ) -> Any:
        device, devices, cores = (int(a) for a in args[1:4])
        params = keywords["interpret_params"]
        thread_state.opening = (params, note.launch if note is not None else None)
        try:
            result = function(*args, **kwargs)
        except BaseException as raised:
            self._recording.guard(
                self._recording.launch_refused, device, devices, cores, error_of(raised)
            )
            raise
        finally:
            thread_state.opening = None
        memory = self._tpu._shared_memory
        launch = vars(memory).get(ATTRIBUTE) if memory is not None else None
        if launch is not None and launch.recording is self._recording:
            self._recording.guard(launch.enter, device, 0)
        return result

    # Before and after the functions.

    def _before_cores(self, context: Context, args: Any, keywords: Any) -> None:
        context.launch.cores_barrier(context.device)

    def _before_barrier(self, context: Context, args: Any, keywords: Any) -> None:
        context.launch.arrive(LAUNCH_START, 0, [context.place])
        context.launch.wait_at(LAUNCH_START, context.place)

    def _after_barrier(self, context: Context, result: Any) -> None:
        context.launch.at_barrier.pop(context.place, None)
        context.launch.await_barrier(LAUNCH_START, 0, [context.place])

    def _before_clean_up(self, context: Context, args: Any, keywords: Any) -> None:
        context.launch.arrive(LAUNCH_END, 0, [context.place])
        context.launch.wait_at(LAUNCH_END, context.place)

    def _after_clean_up(self, context: Context, result: Any) -> None:
        context.launch.leave(context.device)

    def _before_revisiting(self, context: Context, args: Any, keywords: Any) -> None:
        context.window = tuple(int(i) for i in args[3])

    def _after_revisiting(self, context: Context, result: Any) -> None:
        context.launch.end_step(context.place, context.window)

    def _finish(self, context: Context, result: Any) -> None:
        context.finish(None)

    def _finish_read(self, context: Context, result: Any) -> None:
        context.finish(None, result[1])

    def _before_get(self, context: Context, args: Any, keywords: Any) -> None:
        self._window(context, args, keywords, keywords.get("input_name"), 6)

    def _before_store(self, context: Context, args: Any, keywords: Any) -> None:
        self._window(context, args, keywords, keywords.get("output_name"), 7)

    def _window(
        self, context: Context, args: Any, keywords: Any, name: str | None, position: int
    ) -> None:
        """A block of an input or output that JAX moves for the grid: it names the grid point."""
        if name is None:
            return
        rest = list(args[position:])
        blocks = rest[0] if rest else keywords["block_indices"]
        point = rest[1] if len(rest) > 1 else keywords["grid_loop_idx"]
        point = tuple(int(i) for i in point)
        context.window = (str(name), tuple(int(i) for i in blocks), point)
        context.launch.at_point(context.place, point)

    # What an op was about to do, should JAX refuse it before it takes effect.

    def _before_signal(self, context: Context, args: Any, keywords: Any) -> None:
        number, increment = int(args[3]), int(args[4])
        device = context.device if args[5] is None else int(args[5])
        core = 0 if args[6] is None else int(args[6])

        def attempt(error: Error) -> None:
            self._attempt(context, number, device, core, "signal", increment, error)

        context.attempt = attempt

    def _before_wait(self, context: Context, args: Any, keywords: Any) -> None:
        number, demand = int(args[3]), int(args[4])

        def attempt(error: Error) -> None:
            self._attempt(context, number, context.device, context.core, "wait", demand, error)

        context.attempt = attempt

    def _attempt(
        self,
        context: Context,
        number: int,
        device: int,
        core: int,
        kind: str,
        amount: int,
        error: Error,
    ) -> None:
        launch, fixed = context.launch, number in self._tpu._shared_memory.fixed_id_sem
        if fixed:
            launch.create_fixed(context, number)
        place = launch.semaphore(fixed, device * launch.cores + core, number)
        method = launch.sink.signal if kind == "signal" else launch.sink.wait
        self._recording.push(
            method, launch.draw(), context.agent, context.source, place, amount, None, error
        )

    def _before_start(self, context: Context, args: Any, keywords: Any) -> None:
        context.attempt = lambda error: self._copies.refuse(context, args, error)

    def _print(self, *args: Any, **kwargs: Any) -> None:
        context = thread_state.context
        if context is not None and context.access is not None and context.access.kind == "check":
            context.printed = " ".join(str(a) for a in args)
        builtins.print(*args, **kwargs)
