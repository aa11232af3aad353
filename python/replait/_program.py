"""The inside of `replait record -- PROGRAM`: recording a program that knows nothing of it.

The command puts the folder of _site/sitecustomize.py first on PYTHONPATH and says in REPLAIT_*
variables what to record. Nothing is imported or opened until the program imports JAX's TPU
interpret mode; then the recorder is on until the program ends. Only what the program itself runs
with `interpret=pltpu.InterpretParams(...)` is recorded. At the end a status file tells the command
what became of it: {"kernels": 3, "findings": 0, "error": ""}.
"""

from __future__ import annotations

import atexit
import fcntl
import importlib.abc
import importlib.machinery
import importlib.util
import json
import logging
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from replait._cures import Workers

log = logging.getLogger("replait")

_PREFIX = "REPLAIT_"
_MODULE = "jax._src.pallas.mosaic.interpret.interpret_pallas_call"


class _Loader(importlib.abc.Loader):
    """Loads the module as it would have been, then switches the recorder on."""

    def __init__(self, original: importlib.abc.Loader, program: RecordedProgram) -> None:
        self._original = original
        self._program = program

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._original.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._original.exec_module(module)
        self._program.begin()


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, program: RecordedProgram) -> None:
        self._program = program

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._program)
        return spec


class RecordedProgram:
    """The recording of this process, asked for in its environment."""

    def __init__(self, path: str, status_file: str, values: str, environment: bool) -> None:
        self._path = path
        self._status_file = status_file
        self._values = values
        self._environment = environment
        self._recording: Any = None
        self._error = ""
        self._status = -1
        self._pid = os.getpid()
        self._workers = Workers()

    def watch(self) -> None:
        self._workers.ask(backend_is_up=False)  # The program may start a backend before a kernel.
        sys.meta_path.insert(0, _Finder(self))
        atexit.register(self._end)

    def begin(self) -> None:
        """The program has imported what is recorded."""
        if os.getpid() != self._pid or not self._claim():
            return
        from replait import _record

        try:
            self._recording = _record.begin(
                self._path, values=self._values, environment=self._environment
            )
        except Exception as error:
            self._error = str(error)
            log.error("the program runs unrecorded: %s", error)
            return
        atexit.unregister(self._end)
        atexit.register(self._end)  # Before JAX's own, which drops what is still running.

    def _claim(self) -> bool:
        """One process writes the trace: the first that imports JAX's interpreter."""
        try:
            self._status = os.open(self._status_file, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._status, fcntl.LOCK_EX | fcntl.LOCK_NB)  # Until this process ends.
            taken = self._read_status().get("kernels", 0) > 0
        except BlockingIOError:
            taken = True
        except OSError as error:
            self._error = f"cannot write {self._status_file}: {error.strerror}"
            return False
        if taken:
            log.warning("process %d is not recorded: another writes the trace", os.getpid())
            return False
        for name in [name for name in os.environ if name.startswith(_PREFIX)]:
            del os.environ[name]  # Programs that this one starts are not recorded.
        return True

    def _read_status(self) -> dict[str, Any]:
        with open(self._status_file, encoding="utf-8") as file:
            text = file.read()
        status: dict[str, Any] = json.loads(text) if text else {}
        return status

    def _end(self) -> None:
        if os.getpid() != self._pid:
            return
        if self._recording is None:
            self._write_status(0, 0)
            return
        from replait import _record

        try:
            _record.end(self._recording)
        except Exception as error:
            # A kernel's own error was printed by whoever waited for it.
            if self._recording.fault is not None:
                self._error = str(error)
        self._write_status(self._recording.kernels, self._recording.findings)

    def _write_status(self, kernels: int, findings: int) -> None:
        status = {"kernels": kernels, "findings": findings, "error": self._error}
        try:
            if self._recording is None and self._read_status():
                return  # Another process has said more.
            with open(self._status_file, "w", encoding="utf-8") as file:
                json.dump(status, file)
        except OSError as error:
            log.error("cannot write the recording's status: %s", error)


def watch_if_asked() -> None:
    """Called by sitecustomize in every Python that the command starts, and in their children."""
    path, status_file = os.environ.get("REPLAIT_RECORD"), os.environ.get("REPLAIT_STATUS_FILE")
    if not path or not status_file:
        return
    RecordedProgram(
        path,
        status_file,
        os.environ.get("REPLAIT_VALUES", "none"),
        os.environ.get("REPLAIT_ENVIRONMENT", "1") != "0",
    ).watch()
