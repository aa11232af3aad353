"""What replait raises. A kernel's own error is never one of these: it passes through as it is."""

from __future__ import annotations


class ReplaitError(RuntimeError):
    """Wrong use, or something that cannot be recorded. The text says what to do."""


class UnsupportedJaxError(ReplaitError):
    """JAX is missing, or its interpret mode is none that the recorder knows."""


class UnsupportedOptionError(ReplaitError):
    """An option that this version refuses rather than ignores."""


class InternalError(RuntimeError):
    """A fault of replait itself. The program goes on unrecorded; the trace so far is kept."""
