"""Which kernels' errors the program has met.

A kernel that fails does so while nobody may be looking: its error comes up where its result is
waited for, or never. An error that the program has not met by the end of the recording is raised
there; one that it has met must not come up again. What JAX raises may be what another device made
of it, so the first cause is noted on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replait._patches import Patches
    from replait._recording import Recording


def install(recording: Recording, patches: Patches) -> None:
    jax = recording.jax
    error_type = jax.jax.errors.JaxRuntimeError

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def wait(*args: Any, **kwargs: Any) -> Any:
            try:
                return original(*args, **kwargs)
            except error_type as error:
                recording.error_surfaced(error)
                raise

        return wait

    array, tokens = jax.array.ArrayImpl, type(jax.dispatch.runtime_tokens)
    patches.replace(array, "block_until_ready", watched(array.block_until_ready))
    patches.replace(array, "_value", property(watched(array._value.fget)))
    patches.replace(tokens, "block_until_ready", watched(tokens.block_until_ready))
    name = "batched_block_until_ready"
    patches.replace(jax.xla_client, name, watched(getattr(jax.xla_client, name)))
