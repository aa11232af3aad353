"""Attributes of other modules and classes, replaced for a while and put back exactly.

A class may inherit what is replaced on it, so "put back" can mean to delete. The newest
replacement is undone first.
"""

from __future__ import annotations

from typing import Any

_ABSENT = object()


class Patches:
    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, value: Any) -> Any:
        """Sets `owner.name` and returns what it was before (found as attribute lookup does)."""
        before = getattr(owner, name, _ABSENT)
        own = vars(owner).get(name, _ABSENT)
        self._undo.append((owner, name, own))
        setattr(owner, name, value)
        return None if before is _ABSENT else before

    def restore(self) -> None:
        while self._undo:
            owner, name, own = self._undo.pop()
            if own is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, own)
