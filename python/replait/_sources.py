"""Where an op stands in the user's program: file, line, column, function and its callers.

Paths are private, so none is kept whole: a file is named relative to the working folder, else to
the folder of `sys.path` that holds it (site-packages, the standard library), else by its bare
name. A notebook cell is `cell[n]`. The text of each line is taken while recording, since a file
changes and a cell has none.
"""

from __future__ import annotations

import functools
import linecache
import os
import re
import sys
from typing import Any, NamedTuple

CALLERS_MAX = 12  # Frames kept of one op's call stack, innermost first.
LINE_TEXT_MAX = 400  # Characters kept of a line.

_IPYTHON_INPUT = re.compile(r"<ipython-input-(\d+)-")
_OTHER_FOLDER = re.compile(r"(?<![\w.~])/(?:[^\s/'\"<>:]+/)+")
_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _cell_number(file_name: str) -> int | None:
    match = _IPYTHON_INPUT.match(file_name)
    if match:
        return int(match[1])
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    named = getattr(shell.compile, "format_code_name", lambda _: None)(file_name)
    digits = re.search(r"\d+", named[1]) if named else None
    return int(digits[0]) if digits else None


def _below(folder: str, path: str) -> str | None:
    folder = folder.rstrip(os.sep) + os.sep
    return path[len(folder) :] if path.startswith(folder) and len(folder) > 1 else None


@functools.lru_cache(maxsize=4096)
def private_name(file_name: str) -> str:
    """The name under which a file stands in a trace: never absolute."""
    cell = _cell_number(file_name)
    if cell is not None:
        return f"cell[{cell}]"
    if file_name.startswith("<"):
        return file_name
    path = os.path.abspath(file_name)
    names = [_below(folder, path) for folder in (os.path.abspath(p or ".") for p in sys.path)]
    installed = [name for name in names if name]
    nearest = min(installed, key=len) if installed else None
    local = _below(os.getcwd(), path)
    # Of a virtual environment inside the working folder, the library's own name is the better one.
    if local and not ("site-packages" in local and nearest):
        return local
    return nearest or os.path.basename(path)


@functools.lru_cache(maxsize=1)
def _private_folders() -> list[tuple[str, str]]:
    folders = {os.path.expanduser("~"): "~", os.getcwd(): "."}
    folders |= {os.path.abspath(p): "" for p in sys.path if p}
    folders |= {os.path.realpath(folder): name for folder, name in folders.items()}
    known = [(folder, name) for folder, name in folders.items() if len(folder) > 1]
    return sorted(known, key=lambda item: -len(item[0]))


def private_text(text: str) -> str:
    """`text` without the folders of this machine: home, working folder, `sys.path`, any other."""
    if os.sep not in text:
        return text
    for folder, name in _private_folders():
        text = text.replace(folder + os.sep, name + os.sep if name else "").replace(folder, name)
    return _OTHER_FOLDER.sub("", text)


def forget_folders() -> None:
    """Looks at the working folder and `sys.path` anew: once a recording."""
    private_name.cache_clear()
    _private_folders.cache_clear()


class Frame(NamedTuple):
    """As JAX's own, of which only these fields are used."""

    file_name: str
    start_line: int
    start_column: int
    function_name: str


class Sources:
    """The source ids of one recording. 0 stands for no source."""

    def __init__(self, sink: Any, user_frames: Any) -> None:
        self._sink = sink
        self._user_frames = user_frames  # jax._src.source_info_util.user_frames
        self._known: dict[int, tuple[Any, int]] = {}  # By id(key); the key is kept alive with it.
        self._file_hashes: dict[str, int] = {}

    def id_of(self, source_info: Any) -> int:
        """The id of a JAX SourceInfo; 0 for None, or where no frame is the user's."""
        return 0 if source_info is None else self._find(source_info.traceback, (source_info,))

    def id_of_stack(self, note: Any) -> int:
        """The id of a note's stack of SourceInfos (_tracing.py)."""
        return self._find(note, note.stack)

    def of_launch(self, note: Any) -> int:
        """Where the kernel is called; where no frame of that is the user's, where it is defined."""
        called = self.id_of(note.source)
        return called or (self.id_of_frames([note.defined]) if note.defined else 0)

    def id_of_frames(self, frames: list[Frame]) -> int:
        """The id of a call stack, innermost first."""
        return self._add_frames([frame for frame in frames if is_users(frame.file_name)])

    def _find(self, key: Any, stack: tuple[Any, ...]) -> int:
        known = self._known.get(id(key))
        if known is None:
            known = (key, self._add(stack))
            self._known[id(key)] = known
        return known[1]

    def _add(self, stack: tuple[Any, ...]) -> int:
        kept: list[Any] = []
        before: list[Any] = []
        for source_info in stack:
            frames = [f for f in self._user_frames(source_info.traceback) if is_users(f.file_name)]
            if frames != before:
                kept += frames
                before = frames or before
        return self._add_frames(kept)

    def _add_frames(self, frames: list[Any]) -> int:
        source = 0
        for frame in reversed(frames[:CALLERS_MAX]):
            text = linecache.getline(frame.file_name, frame.start_line).rstrip("\n")
            source = self._sink.source(
                private_name(frame.file_name),
                frame.start_line,
                max(frame.start_column, 0),
                frame.function_name,
                source,
                text[:LINE_TEXT_MAX],
                self._file_hash(frame.file_name),
            )
        return source

    def _file_hash(self, file_name: str) -> int:
        known = self._file_hashes.get(file_name)
        if known is None:
            content = "".join(linecache.getlines(file_name)).encode()
            known = self._sink.hash64(content) if content else 0
            self._file_hashes[file_name] = known
        return known


def is_users(file_name: str) -> bool:
    """Whether a frame is neither the interpreter's own nor the recorder's."""
    return not file_name.startswith(("<frozen ", _OWN_FOLDER))
