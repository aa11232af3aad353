"""What of the environment a trace holds: versions and settings from an allow-list, nothing else.

No host, user, folder or environment value. Nothing here starts a JAX backend.
"""

from __future__ import annotations

import importlib.metadata
import platform
from typing import Any

_PACKAGES = ("jax", "jaxlib", "numpy", "ml_dtypes", "replait")

# Settings that change what a kernel computes or how it is run, with the values they may be written
# with: a setting of free text could hold anything.
_SETTINGS: dict[str, tuple[object, ...]] = {
    "jax_enable_x64": (True, False),
    "jax_disable_jit": (True, False),
    "jax_debug_nans": (True, False),
    "jax_threefry_partitionable": (True, False),
    "jax_use_shardy_partitioner": (True, False),
    "jax_cpu_enable_async_dispatch": (True, False),
    "jax_numpy_dtype_promotion": ("standard", "strict"),
    "jax_numpy_rank_promotion": ("allow", "warn", "raise"),
    "jax_default_matmul_precision": (
        None,
        "default",
        "high",
        "highest",
        "bfloat16",
        "tensorfloat32",
        "float32",
    ),
}


def version_of(package: str) -> str | None:
    """The version by the package's metadata, without importing it; None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def environment(jax_config: Any) -> list[tuple[str, str]]:
    """Names and values, in a fixed order. `jax_config` is `jax.config`."""
    rows = [(name, version) for name in _PACKAGES if (version := version_of(name))]
    rows.append(("python", platform.python_version()))
    rows.append(("os", platform.system()))
    rows.append(("cpu", platform.machine()))
    for name, allowed in _SETTINGS.items():
        value = getattr(jax_config, name, _UNKNOWN)
        if any(value is item or value == item for item in allowed):
            rows.append((name, str(value)))
    return rows


_UNKNOWN = object()
