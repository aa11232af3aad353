"""What the hooks tell of each op of JAX's interpreter. Implemented in python/native.cpp.

Each op comes with its number in the order in which ops took effect, the agent, the source (0: none)
and its operands. A semaphore is (device, core, id, fixed); a key (space, buffer id, device, core);
a range a tuple of slices and integers; an error (type, text, follows from another agent's error);
a window (operand's name, block indices, grid point). Arrays are numpy's.
"""

from collections.abc import Sequence
from typing import Any

from replait._launch import Error

Semaphore = tuple[int, int, int, bool]
Key = tuple[str, int, int, int]
Range = tuple[slice | int, ...]
Window = tuple[str, Sequence[int], Sequence[int]]

class Recorder:
    def __init__(
        self,
        path: str,
        *,
        jax_version: str,
        program: str,
        values: str,
        options: Sequence[tuple[str, str]],
        environment: Sequence[tuple[str, str]],
    ) -> None: ...
    @staticmethod
    def hash64(content: bytes) -> int: ...

    # Rows.
    def launch(
        self,
        kernel: str,
        source: int,
        devices: int,
        cores: int,
        out_of_bounds_reads_raise: bool,
        uninitialized_nan: bool,
        eager_copies: bool,
        vector_clock_size: int,
    ) -> int: ...
    def thread(self, launch: int, device: int, core: int) -> int: ...
    def source(
        self,
        file: str,
        line: int,
        column: int,
        function: str,
        caller: int,
        text: str,
        file_hash: int,
    ) -> int: ...
    def name_semaphore(self, launch: int, id: int, dma: bool, name: str) -> None: ...

    # Ops.
    def enter(self, number: int, agent: int, source: int, error: Error | None) -> None: ...
    def exit(self, number: int, agent: int, source: int) -> None: ...
    def grid_step(self, number: int, agent: int, source: int, point: Sequence[int]) -> None: ...
    def allocate(
        self,
        number: int,
        agent: int,
        source: int,
        key: Key,
        dtype: Any,
        content_shape: Sequence[int],
        logical_shape: Sequence[int],
        references: int,
        name: str,
        content: Any,
        error: Error | None,
    ) -> None: ...
    def free(self, number: int, agent: int, source: int, key: Key, error: Error | None) -> None: ...
    def read(
        self,
        number: int,
        agent: int,
        source: int,
        key: Key,
        range: Range,
        window: Window | None,
        value: Any,
        error: Error | None,
    ) -> None: ...
    def write(
        self,
        number: int,
        agent: int,
        source: int,
        key: Key,
        range: Range,
        window: Window | None,
        value: Any,
        error: Error | None,
    ) -> None: ...
    def swap(
        self,
        number: int,
        agent: int,
        source: int,
        key: Key,
        range: Range,
        mask: Any,
        value: Any,
        before: Any,
        error: Error | None,
    ) -> None: ...
    def create_semaphore(
        self, number: int, agent: int, source: int, semaphore: Semaphore
    ) -> None: ...
    def signal(
        self,
        number: int,
        agent: int,
        source: int,
        semaphore: Semaphore,
        increment: int,
        count: int | None,
        error: Error | None,
    ) -> None: ...
    def wait(
        self,
        number: int,
        agent: int,
        source: int,
        semaphore: Semaphore,
        demand: int,
        count: int | None,
        error: Error | None,
    ) -> None: ...
    def issue_copy(
        self,
        number: int,
        agent: int,
        source: int,
        source_key: Key,
        source_range: Range,
        destination_key: Key,
        destination_range: Range,
        send: Semaphore | None,
        receive: Semaphore,
        error: Error | None,
    ) -> int: ...
    def copy_step(
        self,
        number: int,
        copy: int,
        source: int,
        phase: int,
        value: Any,
        count: int | None,
        error: Error | None,
    ) -> None: ...
    def arrive(
        self,
        number: int,
        agent: int,
        source: int,
        kind: int,
        device: int,
        arrivals: int,
        interpreter_only: bool,
    ) -> None: ...
    def await_barrier(
        self,
        number: int,
        agent: int,
        source: int,
        kind: int,
        device: int,
        arrivals: int,
        interpreter_only: bool,
    ) -> None: ...
    def check_semaphores(
        self, number: int, agent: int, source: int, printed: str | None
    ) -> None: ...
    def refuse(self, number: int, agent: int, source: int, what: int, error: Error) -> None: ...
    def raise_error(self, number: int, agent: int, source: int, error: Error) -> None: ...

    # The trace.
    def events(self) -> int: ...
    def finish(
        self,
        kind: str,
        waits: Sequence[tuple[int, int, Semaphore, int]],
        barriers: Sequence[tuple[int, int, int, int, int, bool]],
    ) -> tuple[str, int]:
        """Returns the run id and the number of findings.

        What blocked threads wait for: (agent, source, semaphore, demand) and (agent, source, kind,
        device, arrivals, interpreter-only).
        """

    def discard(self) -> None: ...
