"""Cases that the installed JAX and the Machine both go through, and their comparison.

`Both` does each op at once by direct call into JAX's interpreter (get, store, swap, ...), on a
SharedMemory of its own, and notes it for the Machine (machine_probe, found through
REPLAIT_BUILD_DIR).
"""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import jax
import numpy as np
import pytest
from jax._src.pallas.mosaic.interpret import interpret_pallas_call as interpreter
from jax._src.pallas.mosaic.interpret import shared_memory
from jax.experimental.pallas import tpu as pltpu

SPACES = {name: index for index, name in interpreter.TPU_MEMORY_SPACE_NAMES.items()}
TOKEN = np.int32(42)

Range = tuple[Any, ...]  # Of slices and integers.
Key = tuple[str, int, int, int]


class RawTransforms:
    """Transforms that mean exactly this range, whatever a ref would allow."""

    def __init__(self, dims: Range) -> None:
        self.dims = dims


jax.tree_util.register_pytree_node(RawTransforms, lambda t: ((), t), lambda t, _: t)


def text_of(values: Any, separator: str = "x") -> str:
    return separator.join(str(value) for value in values) or "-"


def range_text(dims: Range) -> str:
    parts = [
        f"i{dim}" if isinstance(dim, int) else f"s{dim.start}:{dim.stop}:{dim.step}" for dim in dims
    ]
    return ",".join(parts) or "-"


def key_text(key: Key) -> str:
    return ":".join(str(part) for part in key)


class Both:
    """One case: each op is done by JAX at once, and noted for the Machine."""

    def __init__(
        self, devices: int = 1, cores: int = 1, outside: str = "raise", memory: str = "nan"
    ) -> None:
        interpreter.reset_tpu_interpret_mode_state()
        params = pltpu.InterpretParams(
            out_of_bounds_reads=outside,
            uninitialized_memory=memory,
            num_cores_or_threads=cores,
            dma_execution_mode="eager",
        )
        interpreter._initialize_shared_memory(TOKEN, 0, devices, cores, interpret_params=params)
        self.memory = interpreter._get_shared_memory()
        self.lines = [f"case {jax.__version__} {devices} {cores} {outside} {memory} 0"]
        self.expected: list[str | None] = []

    def note(self, line: str, call: Any, compares_value: bool = False) -> None:
        self.lines.append(line)
        try:
            result = call()
        except Exception as error:
            self.expected.append(f"{type(error).__name__}\t{error}")
            return
        value = np.asarray(result).tobytes().hex() if compares_value else None
        self.expected.append(None if value is None else f"ok {value}")

    def allocate(
        self, key: Key, value: np.ndarray, logical: tuple[int, ...] | None = None, refs: int = 1
    ) -> None:
        logical = value.shape if logical is None else logical
        self.note(
            f"allocate {key_text(key)} buffer {value.dtype} {text_of(value.shape)}"
            f" {text_of(logical)} {refs} {value.tobytes().hex() or '-'}",
            lambda: self.memory.allocate_buffer(key, refs, value.copy(), logical_shape=logical),
        )

    def allocate_other(self, key: Key) -> None:
        self.lines.append(f"allocate {key_text(key)} other float32 - - 1 -")
        self.expected.append(None)
        self.memory.mem[key] = shared_memory.Allocation()

    def free(self, key: Key) -> None:
        self.note(
            f"free {key_text(key)}",
            lambda: interpreter._deallocate_buffer.__wrapped__(
                TOKEN, key[2], key[3], SPACES[key[0]], key[1]
            ),
        )

    def get(self, key: Key, dims: Range, core: int = 0, window: tuple | None = None) -> None:
        named = {} if window is None else {"input_name": window[0]}
        places = () if window is None else (np.array(window[1]), np.array(window[2]))
        self.note(
            f"read {key_text(key)} {core} {range_text(dims)} {window_text(window)}",
            lambda: interpreter.get.__wrapped__(
                TOKEN, key[2], core, SPACES[key[0]], key[1], RawTransforms(dims), *places, **named
            )[1],
            compares_value=True,
        )

    def store(
        self, key: Key, dims: Range, value: np.ndarray, core: int = 0, window: tuple | None = None
    ) -> None:
        named = {} if window is None else {"output_name": window[0]}
        places = () if window is None else (np.array(window[1]), np.array(window[2]))
        self.note(
            f"write {key_text(key)} {core} {range_text(dims)} {window_text(window)}"
            f" {value.tobytes().hex() or '-'}",
            lambda: interpreter.store.__wrapped__(
                TOKEN,
                key[2],
                core,
                SPACES[key[0]],
                key[1],
                RawTransforms(dims),
                value,
                *places,
                **named,
            ),
        )

    def swap(
        self,
        key: Key,
        dims: Range,
        value: np.ndarray,
        mask: np.ndarray | None = None,
        core: int = 0,
    ) -> None:
        digits = "-" if mask is None else "".join("01"[bit] for bit in mask.astype(int).ravel())
        self.note(
            f"swap {key_text(key)} {core} {range_text(dims)} {digits or '0'}"
            f" {value.tobytes().hex() or '-'}",
            lambda: interpreter.swap.__wrapped__(
                TOKEN, key[2], core, SPACES[key[0]], key[1], RawTransforms(dims), value, mask
            )[1],
            compares_value=True,
        )

    def content(self, key: Key) -> None:
        """The whole content, padding included."""
        buffer = self.memory.mem[key]
        if buffer.content.size == 0:
            return
        dims = tuple(slice(0, size, 1) for size in buffer.content.shape)
        self.note(
            f"read {key_text(key)} 0 {range_text(dims)} -",
            lambda: buffer.content,
            compares_value=True,
        )

    def create(self, space: str, semaphore: int) -> None:
        def call() -> None:
            if space == "fixed":
                self.memory.guarantee_semaphore_with_fixed_id(semaphore)
            else:
                self.memory.next_semaphore_id[0] = semaphore
                self.memory.allocate_semaphores(0, 1)

        self.note(f"create {space} {semaphore} 0 0", call)

    def signal(
        self,
        semaphore: int,
        increment: int = 1,
        device: int = 0,
        core: int = 0,
        space: str = "internal",
    ) -> None:
        self.note(
            f"signal {space} {semaphore} {device} {core} {increment}",
            lambda: interpreter.semaphore_signal.__wrapped__(
                TOKEN, 0, 0, semaphore, increment, device, core
            ),
        )

    def wait(self, semaphore: int, demand: int, space: str = "internal") -> None:
        """Only where it is ready or raises: JAX would block for ever."""
        self.note(
            f"wait {space} {semaphore} 0 0 {demand}",
            lambda: interpreter.semaphore_wait.__wrapped__(TOKEN, 0, 0, semaphore, demand),
        )

    def copy(
        self,
        source: Key,
        source_dims: Range,
        destination: Key,
        destination_dims: Range,
        receive: int,
        send: int | None = None,
    ) -> None:
        self.note(
            f"copy {key_text(source)} {range_text(source_dims)} {key_text(destination)}"
            f" {range_text(destination_dims)} {'-' if send is None else send} {receive}",
            lambda: interpreter.dma_start.__wrapped__(
                TOKEN,
                source[2],
                0,
                SPACES[source[0]],
                source[1],
                RawTransforms(source_dims),
                SPACES[destination[0]],
                destination[1],
                RawTransforms(destination_dims),
                receive,
                send,
                destination[2],
            ),
        )

    def check(self, device: int, capsys: pytest.CaptureFixture[str]) -> None:
        capsys.readouterr()
        interpreter._validate.__wrapped__(TOKEN, device)
        printed = capsys.readouterr().out.rstrip("\n")
        self.lines.append(f"check {device}")
        self.expected.append(f"\t{printed}" if printed else None)


def window_text(window: tuple | None) -> str:
    if window is None:
        return "-"
    name, block, iteration = window
    return f"{name}|{text_of(block, ',')}|{text_of(iteration, ',')}"


def ask_machine(lines: list[str]) -> list[str]:
    """The Machine's answer to each op among `lines`."""
    folder = os.environ.get("REPLAIT_BUILD_DIR")
    if not folder:
        pytest.fail("set REPLAIT_BUILD_DIR to the build folder that holds tests/jax/machine_probe")
    probe = pathlib.Path(folder) / "tests" / "jax" / "machine_probe"
    done = subprocess.run(
        [probe], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    )
    answers = done.stdout.split("\n")
    assert answers.pop() == ""
    return answers


def compare(cases: list[Both]) -> None:
    """Fails at the first op of which the Machine says something else than JAX did."""
    answers = ask_machine([line for case in cases for line in case.lines])
    assert len(answers) == sum(len(case.expected) for case in cases)
    rest = iter(answers)
    for case in cases:
        for line, expected in zip(case.lines[1:], case.expected, strict=True):
            got = next(rest)
            if expected is None:
                assert got.startswith("ok "), f"{case.lines[0]}\n{line}\ngot {got}"
            else:
                assert got == expected, f"{case.lines[0]}\n{line}\n"
