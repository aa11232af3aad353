"""replait: record a Pallas kernel that runs in JAX's TPU interpret mode, and replay it anywhere.

    import replait

    with replait.record("bug.replait"):
        y = kernel(x)  # a pallas_call with interpret=pltpu.InterpretParams(...)

The trace is for the `replait` command: `replait check bug.replait`, `replait replay bug.replait`.
Importing this package changes nothing and imports no JAX; progress and warnings go to
`logging.getLogger("replait")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replait._errors import (
    InternalError,
    ReplaitError,
    UnsupportedJaxError,
    UnsupportedOptionError,
)

if TYPE_CHECKING:
    __version__: str
    from replait._record import record
    from replait._recording import Recording

__all__ = [
    "InternalError",
    "Recording",
    "ReplaitError",
    "UnsupportedJaxError",
    "UnsupportedOptionError",
    "__version__",
    "record",
    "site_folder",
]


def site_folder() -> str:
    """The folder that `replait record -- PROGRAM` puts first on PYTHONPATH."""
    import os

    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "_site")


def __getattr__(name: str) -> Any:
    if name in ("record", "Recording"):
        from replait import _record

        return getattr(_record, name)
    if name == "__version__":
        from replait._environment import version_of

        return version_of("replait") or "unknown"
    raise AttributeError(f"module 'replait' has no attribute {name!r}")
