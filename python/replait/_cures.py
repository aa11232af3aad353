"""What makes JAX's interpret mode hang or fail on small machines, and the cures.

1. An interpreter op's operands are handed over as the arrays they are: JAX copies them to a device,
   which waits for ever where all host devices are busy.
2. XLA's CPU client has one worker a core, and threads of the interpreter that block starve the
   rest: more workers, asked for in the environment before the first backend starts.
3. The worker of a core waits for its own callbacks before it reports that it is done.
4. After a failed kernel the tokens and the memory that it left are dropped, or every later run
   fails.
"""

from __future__ import annotations

import importlib
import logging
import os
from typing import TYPE_CHECKING, Any

from replait import _stamps
from replait._stamps import thread_state

if TYPE_CHECKING:
    from replait._callbacks import Callbacks
    from replait._patches import Patches
    from replait._recording import Recording

log = logging.getLogger("replait")

WORKERS = 64  # Enough for 32 simulated cores, each with one computation running and one waiting.
_WORKER_VARIABLES = ("NPROC", "PJRT_NPROC")  # The newer and the older name.


class Workers:
    """Asks XLA for enough workers; puts the environment back."""

    def __init__(self) -> None:
        self._before: dict[str, str | None] = {}

    def ask(self, backend_is_up: bool) -> None:
        if backend_is_up:
            return
        for name in _WORKER_VARIABLES:
            if _as_number(os.environ.get(name)) < WORKERS:
                self._before[name] = os.environ.get(name)
                os.environ[name] = str(WORKERS)

    def restore(self) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before.clear()


def _as_number(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0


def started_workers() -> int:
    """How many workers a backend that is up was most likely started with."""
    asked = max(_as_number(os.environ.get(name)) for name in _WORKER_VARIABLES)
    return asked or os.cpu_count() or 1


def install(recording: Recording, callbacks: Callbacks, patches: Patches) -> None:
    jax = recording.jax
    numpy = importlib.import_module("numpy")
    original_impl = jax.callback.io_callback_impl

    def io_callback_impl(*args: Any, callback: Any, **kwargs: Any) -> Any:
        if not recording.live or not callbacks.is_interpreters(callback):
            return original_impl(*args, callback=callback, **kwargs)
        try:
            return [numpy.asarray(leaf) for leaf in callback(*args)]
        except BaseException:
            jax.callback.logger.exception("jax.io_callback failed")
            raise

    original_run = jax.thread_map._run_jaxpr

    def _run_jaxpr(*args: Any, **kwargs: Any) -> None:
        original_run(*args, **kwargs)
        thread_state.own_wait = True  # An error that comes up here has not reached the program.
        try:
            jax.jax.effects_barrier()
        finally:
            thread_state.own_wait = False

    patches.replace(jax.callback, "io_callback_impl", io_callback_impl)
    patches.replace(jax.thread_map, "_run_jaxpr", _run_jaxpr)
    token_set = type(jax.dispatch.runtime_tokens)
    original_input = token_set.get_token_input

    def get_token_input(tokens: Any, *args: Any, **kwargs: Any) -> Any:
        if recording.has_failing_launch():
            recording.wait_for_launches()
        if thread_state.failures_seen != _stamps.failed_launches:
            thread_state.failures_seen = _stamps.failed_launches
            tokens.clear()
        return original_input(tokens, *args, **kwargs)

    patches.replace(token_set, "get_token_input", get_token_input)


def drop_failed(jax: Any) -> None:
    """After a failed kernel: the next one starts as if it had not been."""
    jax.dispatch.runtime_tokens.clear()
    jax.tpu.reset_tpu_interpret_mode_state()
