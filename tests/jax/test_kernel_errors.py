"""The Machine raises what a kernel's user sees: the same failures, reached from Pallas kernels.

JAX wraps an error of its interpreter into its runtime error, whose text ends in the error's own
type and text; what it refuses to interpret it raises as it is. What no kernel reaches (an
allocation that is no buffer, a logical shape above the content's, a missing semaphore, an id in two
spaces) is in test_error_texts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
from jax._src import dispatch  # noqa: E402
from jax._src.pallas.mosaic.interpret import interpret_pallas_call as interpreter  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from jax.experimental.pallas import tpu as pltpu  # noqa: E402

from machine_cases import ask_machine  # noqa: E402

# The first two buffers of a launch are its input and output in HBM, the next ones the kernel's.
IN_KERNEL = "vmem:102:0:0"
OUT_KERNEL = "vmem:103:0:0"


@pytest.fixture(autouse=True)
def clean_interpreter() -> Iterator[None]:
    """A failed kernel leaves state that fails the next one."""
    yield
    interpreter.reset_tpu_interpret_mode_state()
    dispatch.runtime_tokens.clear()


def launch(body: Callable[..., None], scratch: tuple[Any, ...] = (), **interpret: Any) -> None:
    """Runs `body` over eight numbers in VMEM."""
    x = jnp.arange(8, dtype=jnp.int32)
    vmem = pl.BlockSpec(memory_space=pltpu.VMEM)
    call = pl.pallas_call(
        body,
        out_shape=x,
        in_specs=[vmem],
        out_specs=vmem,
        scratch_shapes=scratch,
        interpret=pltpu.InterpretParams(**interpret),
    )
    jax.block_until_ready(call(x))


def machine(*ops: str, vector_clock_size: int = 0) -> tuple[str, str]:
    """What the Machine says of the last op: type and text."""
    data = np.arange(8, dtype=np.int32).tobytes().hex()
    lines = [f"case {jax.__version__} 1 1 raise nan {vector_clock_size}"]
    lines += [f"allocate {key} buffer int32 8 8 1 {data}" for key in ("hbm:100:0:0", "hbm:101:0:0")]
    lines += [f"allocate {key} buffer int32 8 8 1 {data}" for key in (IN_KERNEL, OUT_KERNEL)]
    kind, _, text = ask_machine([*lines, *ops])[-1].partition("\t")
    return kind, text


def check_wrapped(body: Callable[..., None], expected: tuple[str, str], **more: Any) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        launch(body, **more)
    kind, text = expected
    assert str(raised.value).endswith(f"{kind}: {text}")


def copy_into(destination: Any, source: Any, semaphore: Any) -> None:
    copy = pltpu.make_async_copy(source, destination, semaphore)
    copy.start()
    copy.wait()


DMA = (pltpu.SemaphoreType.DMA,)


def test_read_out_of_bounds() -> None:
    def body(x: Any, out: Any) -> None:
        out[pl.ds(0, 4)] = x[pl.ds(x[6], 4)]

    check_wrapped(body, machine(f"read {IN_KERNEL} 0 s6:10:1 -"))


def test_index_out_of_bounds() -> None:
    def body(x: Any, out: Any) -> None:
        out[0] = x[x[7] + 1]

    check_wrapped(body, machine(f"read {IN_KERNEL} 0 i8 -"))


@pytest.mark.parametrize("start", [6, 8])
def test_store_out_of_bounds_is_a_swap(start: int) -> None:
    def body(x: Any, out: Any) -> None:
        out[pl.ds(x[0] + start, 4)] = x[pl.ds(0, 4)]

    check_wrapped(body, machine(f"swap {OUT_KERNEL} 0 s{start}:{start + 4}:1 - {'00' * 16}"))


def test_masked_swap_out_of_bounds() -> None:
    def body(x: Any, out: Any) -> None:
        pltpu.store(out.at[pl.ds(x[6], 4)], x[pl.ds(0, 4)], mask=jnp.ones(4, bool))

    check_wrapped(body, machine(f"swap {OUT_KERNEL} 0 s6:10:1 1111 {'00' * 16}"))


def test_copy_reads_out_of_bounds() -> None:
    def body(x: Any, out: Any, semaphore: Any) -> None:
        copy_into(out.at[pl.ds(0, 4)], x.at[pl.ds(x[6], 4)], semaphore)

    expected = machine(
        "create internal 2000 0 0", f"copy {IN_KERNEL} s6:10:1 {OUT_KERNEL} s0:4:1 - 2000"
    )
    check_wrapped(body, expected, scratch=DMA)


def test_copy_writes_out_of_bounds() -> None:
    def body(x: Any, out: Any, semaphore: Any) -> None:
        copy_into(out.at[pl.ds(x[6], 4)], x.at[pl.ds(0, 4)], semaphore)

    expected = machine(
        "create internal 2000 0 0", f"copy {IN_KERNEL} s0:4:1 {OUT_KERNEL} s6:10:1 - 2000"
    )
    check_wrapped(body, expected, scratch=DMA)


def test_copy_into_a_scope_that_has_ended() -> None:
    def body(x: Any, out: Any, semaphore: Any) -> None:
        pl.run_scoped(
            lambda scoped: pltpu.make_async_copy(x, scoped, semaphore).start(),
            pltpu.VMEM((8,), jnp.int32),
        )
        pltpu.make_async_copy(x, out, semaphore).wait()

    scoped = "vmem:104:0:0"
    expected = machine("create internal 2000 0 0", f"copy {IN_KERNEL} - {scoped} - - 2000")
    check_wrapped(body, expected, scratch=DMA)


@pytest.mark.parametrize("side", ["input", "output"])
def test_block_index_out_of_bounds(side: str) -> None:
    def body(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...]

    x = jnp.arange(8, dtype=jnp.int32)
    inside = pl.BlockSpec((4,), lambda i: i)
    outside = pl.BlockSpec((4,), lambda i: i + 1)
    call = pl.pallas_call(
        body,
        out_shape=x,
        grid=(2,),
        in_specs=[outside if side == "input" else inside],
        out_specs=outside if side == "output" else inside,
        interpret=pltpu.InterpretParams(),
    )
    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        jax.block_until_ready(call(x))
    kind, text = machine(
        "read hbm:100:0:0 0 s8:12:1 x_ref|2|1"
        if side == "input"
        else f"write hbm:101:0:0 0 s8:12:1 o_ref|2|1 {'00' * 16}"
    )
    assert str(raised.value).endswith(f"{kind}: {text}")


def test_vector_clock_size() -> None:
    def body(x: Any, out: Any) -> None:
        out[...] = x[...]

    check_wrapped(body, machine("enter", vector_clock_size=1), vector_clock_size=1)


def test_semaphore_nonzero_at_exit(capfd: pytest.CaptureFixture[str]) -> None:
    def body(x: Any, out: Any, semaphore: Any) -> None:
        out[...] = x[...]
        pl.semaphore_signal(semaphore, 3)

    launch(body, scratch=(pltpu.SemaphoreType.REGULAR,))
    kind, text = machine("create internal 2000 0 0", "signal internal 2000 0 0 3", "check 0")
    assert kind == ""
    assert capfd.readouterr().out == f"{text}\n"


def test_masked_load_is_refused() -> None:
    def body(x: Any, out: Any) -> None:
        out[pl.ds(0, 4)] = pltpu.load(x.at[pl.ds(0, 4)], mask=jnp.ones(4, bool))

    check_refused(body, machine("refuse load"))


def test_collective_run_scoped_is_refused() -> None:
    def body(x: Any, out: Any) -> None:
        def scope(_: Any) -> None:
            out[...] = x[...]

        pl.run_scoped(scope, pltpu.VMEM((8,), jnp.int32), collective_axes=("core",))

    check_refused(body, machine("refuse scoped"))


def check_refused(body: Callable[..., None], expected: tuple[str, str]) -> None:
    with pytest.raises(NotImplementedError) as raised:
        launch(body)
    assert (type(raised.value).__name__, str(raised.value)) == expected
