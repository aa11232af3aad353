"""What recording costs: a Pallas kernel in JAX's stock interpret mode, beside the same recorded.

`python jax_overhead.py [JSON-FILE]`. Stock and recorded runs alternate in one process, the least
time of each counts. The kernel fetches blocks by copies of its own, adds, and sends them back.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# JAX's CPU client has a worker a core, and callbacks of interpret mode block workers.
os.environ.setdefault("NPROC", "16")
os.environ.setdefault("PJRT_NPROC", "16")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import replait

ROUNDS = 5
STEPS = 16
BLOCK = (8, 128)


def add_one(x_hbm, out_hbm, buffer, fetched, sent):
    """Adds one to each block, each moved there and back by a copy."""

    def step(i, carry):
        fetch = pltpu.make_async_copy(x_hbm.at[i], buffer, fetched)
        fetch.start()
        fetch.wait()
        buffer[...] += 1.0
        send = pltpu.make_async_copy(buffer, out_hbm.at[i], sent)
        send.start()
        send.wait()
        return carry

    jax.lax.fori_loop(0, STEPS, step, 0)


def make_kernel(**options: object) -> Callable[[jax.Array], jax.Array]:
    call = pl.pallas_call(
        add_one,
        out_shape=jax.ShapeDtypeStruct((STEPS, *BLOCK), jnp.float32),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[
            pltpu.VMEM(BLOCK, jnp.float32),
            pltpu.SemaphoreType.DMA,
            pltpu.SemaphoreType.DMA,
        ],
        interpret=pltpu.InterpretParams(**options),
    )
    return jax.jit(call)


def seconds(kernel: Callable[[jax.Array], jax.Array], x: jax.Array) -> float:
    begin = time.perf_counter()
    jax.block_until_ready(kernel(x))
    return time.perf_counter() - begin


def main() -> None:
    x = jnp.zeros((STEPS, *BLOCK), jnp.float32)
    stock, detecting = make_kernel(), make_kernel(detect_races=True)
    for kernel in (stock, detecting):
        seconds(kernel, x)  # Compiles.
    times: dict[str, float] = {}

    def note(name: str, taken: float) -> None:
        times[name] = min(taken, times.get(name, taken))

    with tempfile.TemporaryDirectory() as folder:
        for turn in range(ROUNDS):
            note("stock", seconds(stock, x))
            note("stock, detect_races=True", seconds(detecting, x))
            for level in ("none", "hash", "full"):
                with replait.record(f"{folder}/{turn}-{level}.replait", values=level):
                    note(f"recorded, values={level}", seconds(stock, x))

    figures = []
    print(f"JAX {jax.__version__}, {STEPS} steps with two copies each:")
    for name, taken in times.items():
        ratio = taken / times["stock"]
        print(f"{name:<34} {1e3 * taken:>10.2f} ms           {ratio:>6.2f} times stock")
        figures.append({"name": name, "value": taken, "unit": "s", "peer": "stock"})
    if len(sys.argv) > 1:
        report = {"schema": "replait.bench/1", "jax": jax.__version__, "figures": figures}
        Path(sys.argv[1]).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
