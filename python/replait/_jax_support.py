"""The JAX that is installed: its version, and the private names that the recorder takes hold of.

TPU interpret mode is private API, so every name and signature that is relied on is looked at before
anything is replaced. A version is refused by name, with what is supported, when it is older than
the first or when a name is missing.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from replait._environment import version_of
from replait._errors import UnsupportedJaxError

SUPPORTED = ("0.10.2", "0.11.1", "0.12.0.1")  # With the shapes below; each in its own test run.
TPU_MODULE = "jax._src.pallas.mosaic.interpret.interpret_pallas_call"

# name -> the parameters that the recorder reads or passes, in order.
_MODULE_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "_initialize_shared_memory": ("token", "device_id", "num_devices", "num_cores_per_device"),
    "_update_clocks_for_device_barrier": ("token", "device_id"),
    "_barrier": ("token", "device_id"),
    "_clean_up_shared_memory": ("token", "device_id"),
    "_check_for_revisiting": ("token", "device_id", "local_core_id", "loop_idx"),
    "_validate": ("token", "device_id"),
    "_allocate_buffer": ("token", "device_id", "local_core_id", "memory_space", "val"),
    "_deallocate_buffer": ("token", "device_id", "local_core_id", "memory_space", "buffer_id"),
    "_allocate_semaphores": ("token", "device_id", "local_core_id", "shape"),
    "get_barrier_semaphore": ("token", "device_id", "collective_id"),
    "get": ("token", "device_id", "local_core_id", "memory_space", "buffer_id", "transforms"),
    "store": ("token", "device_id", "local_core_id", "memory_space", "buffer_id", "transforms"),
    "swap": ("token", "device_id", "local_core_id", "memory_space", "buffer_id", "transforms"),
    "dma_start": ("token", "device_id", "src_local_core_id", "src_memory_space", "src_id"),
    "dma_wait": ("token", "device_id", "local_core_id", "sem_id", "size"),
    "semaphore_signal": ("token", "device_id", "local_core_id", "sem_id", "inc"),
    "semaphore_wait": ("token", "device_id", "local_core_id", "sem_id", "value"),
    "interpret_pallas_call": (),
    "_interpret_jaxpr": (),
    "_get_randomized_grid_coordinates": ("grid", "mosaic_params", "random_seed"),
    "_get_parallel_dim_semantics": ("mosaic_params", "num_dimensions_in_grid"),
    "reset_tpu_interpret_mode_state": (),
}
_SHARED_MEMORY: dict[str, tuple[str, ...]] = {
    "allocate_buffer": ("self", "key", "ref_count", "value"),
    "deallocate_buffer": ("self", "key"),
    "get_buffer_content": ("self", "key", "rnge"),
    "store_buffer_content": ("self", "key", "rnge", "value"),
    "swap_buffer_content": ("self", "key", "rnge", "value", "mask"),
    "allocate_semaphores": ("self", "key", "num_semaphores"),
    "guarantee_semaphore_with_fixed_id": ("self", "semaphore_id"),
    "get_sempahores_with_nonzero_count": ("self", "device_id"),
    "set_failed": ("self", "exception"),
}
_SEMAPHORE: dict[str, tuple[str, ...]] = {
    "signal": ("self", "inc", "global_core_id", "clock"),
    "wait": ("self", "value", "global_core_id"),
}
_DMA: dict[str, tuple[str, ...]] = {"execute_read": ("self",), "execute_write": ("self",)}


class Jax:
    """The modules of the installed JAX that the recorder uses."""

    def __init__(self) -> None:
        self.version = version_of("jax") or "unknown"
        self.jax: Any = importlib.import_module("jax")
        self.callback: Any = importlib.import_module("jax._src.callback")
        self.dispatch: Any = importlib.import_module("jax._src.dispatch")
        self.array: Any = importlib.import_module("jax._src.array")
        self.xla_client: Any = importlib.import_module("jax._src.lib").xla_client
        self.core: Any = importlib.import_module("jax._src.core")
        self.tree_util: Any = importlib.import_module("jax._src.tree_util")
        self.source_info_util: Any = importlib.import_module("jax._src.source_info_util")
        self.xla_bridge: Any = importlib.import_module("jax._src.xla_bridge")
        self.tpu: Any = importlib.import_module(TPU_MODULE)
        self.memory: Any = importlib.import_module("jax._src.pallas.mosaic.interpret.shared_memory")
        self.thread_map: Any = importlib.import_module(
            "jax._src.pallas.mosaic.interpret.thread_map"
        )
        self.utils: Any = importlib.import_module("jax._src.pallas.mosaic.interpret.utils")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _supported_text() -> str:
    return f"supported are {', '.join(SUPPORTED)} and versions with the same interpreter"


def load() -> Jax:
    """The installed JAX, looked over. Imports it, starts no backend.

    Raises UnsupportedJaxError: it is missing, too old, or lacks a name that is relied on.
    """
    version = version_of("jax")
    if version is None:
        raise UnsupportedJaxError(
            "recording a Pallas kernel needs JAX, which is not installed in this Python; "
            f"pip install jax ({_supported_text()})"
        )
    if _number(version) < _number(SUPPORTED[0]):
        raise UnsupportedJaxError(
            f"jax {version} is too old to be recorded; {_supported_text()}: "
            "pip install --upgrade jax"
        )
    try:
        modules = Jax()
    except ImportError as error:
        raise UnsupportedJaxError(
            f"jax {version} has no TPU interpret mode that can be recorded ({error}); "
            f"{_supported_text()}"
        ) from error
    missing = _differences(modules)
    if missing:
        raise UnsupportedJaxError(
            f"jax {version} cannot be recorded: its TPU interpret mode differs in "
            f"{', '.join(missing[:4])}; {_supported_text()}"
        )
    return modules


def _differences(modules: Jax) -> list[str]:
    memory = modules.memory
    missing = _missing(modules.tpu, _MODULE_FUNCTIONS)
    missing += _missing(getattr(memory, "SharedMemory", None), _SHARED_MEMORY)
    missing += _missing(getattr(memory, "Semaphore", None), _SEMAPHORE)
    missing += _missing(getattr(modules.tpu, "DMA", None), _DMA)
    missing += _missing(modules.callback, {"io_callback_impl": (), "io_callback": ("callback",)})
    missing += _missing(modules.thread_map, {"_thread_map_callback": ("jaxpr", "token")})
    missing += _missing(modules.thread_map, {"_run_jaxpr": ("jaxpr",)})
    flat = getattr(modules.callback, "_FlatCallback", None)
    if not {"callback_func", "in_tree"} <= set(getattr(flat, "__slots__", ())):
        missing.append("_FlatCallback")
    for name in ("get", "store"):  # DMAs call the function below its error wrapper.
        if not hasattr(getattr(modules.tpu, name, None), "__wrapped__"):
            missing.append(f"{name}.__wrapped__")
    if not isinstance(getattr(modules.tpu, "TPU_MEMORY_SPACE_NAMES", None), dict):
        missing.append("TPU_MEMORY_SPACE_NAMES")
    if not hasattr(modules.tpu, "_shared_memory"):
        missing.append("_shared_memory")
    array = modules.array.ArrayImpl
    if not isinstance(getattr(array, "_value", None), property):
        missing.append("ArrayImpl._value")
    for owner, name in (
        (array, "block_until_ready"),
        (modules.xla_client, "batched_block_until_ready"),
        (modules.dispatch.runtime_tokens, "block_until_ready"),
        (modules.dispatch.runtime_tokens, "get_token_input"),
    ):
        if not hasattr(owner, name):
            missing.append(name)
    return missing


def _missing(owner: Any, expected: dict[str, tuple[str, ...]]) -> list[str]:
    names = []
    for name, parameters in expected.items():
        function = getattr(owner, name, None)
        if not callable(function):
            names.append(name)
            continue
        found = tuple(inspect.signature(inspect.unwrap(function)).parameters)
        if found[: len(parameters)] != parameters:
            names.append(f"{name}{inspect.signature(function)}")
    return names
