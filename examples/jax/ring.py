"""A ring all-gather on 4 simulated TPUs, with a bug: it forwards a block before it has arrived.

    replait record -o ring.replait -- python examples/jax/ring.py
    replait check ring.replait

prints the race with both of its lines. With `--fixed` the kernel waits for each block: it is clean.
"""

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec

DEVICES = 4
FIXED = "--fixed" in sys.argv[1:]


def ring_kernel(block, gathered, local_sem, send_sem, recv_sem):
    me = lax.axis_index("ring")
    right = lax.rem(me + 1, DEVICES)
    left = lax.rem(me + DEVICES - 1, DEVICES)

    # Both neighbours must be inside the kernel before anything is sent to them.
    barrier = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(barrier, device_id=(left,))
    pl.semaphore_signal(barrier, device_id=(right,))
    pl.semaphore_wait(barrier, 2)

    pltpu.async_copy(block, gathered.at[me], local_sem).wait()

    # In each step every device passes on the block that it got in the step before.
    copies = []
    for step in range(DEVICES - 1):
        slot = lax.rem(me - step + DEVICES, DEVICES)
        copy = pltpu.make_async_remote_copy(
            src_ref=gathered.at[slot],
            dst_ref=gathered.at[slot],
            send_sem=send_sem.at[step],
            recv_sem=recv_sem.at[step],
            device_id=(right,),
        )
        copy.start()
        copy.wait_send()  # This block has left. It does not say that the next one is here:
        if FIXED:
            copy.wait_recv()
        copies.append(copy)
    if not FIXED:
        for copy in copies:  # Too late: the blocks were passed on above.
            copy.wait_recv()


def all_gather(x):
    call = pl.pallas_call(
        ring_kernel,
        out_shape=jax.ShapeDtypeStruct((DEVICES, *x.shape), x.dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[
            pltpu.SemaphoreType.DMA,
            pltpu.SemaphoreType.DMA((DEVICES - 1,)),
            pltpu.SemaphoreType.DMA((DEVICES - 1,)),
        ],
        compiler_params=pltpu.CompilerParams(collective_id=0),
        interpret=pltpu.InterpretParams(),
    )
    return call(x)


if __name__ == "__main__":
    mesh = jax.make_mesh((DEVICES,), ("ring",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = PartitionSpec("ring")
    run = jax.jit(
        jax.shard_map(all_gather, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    )
    x = jnp.arange(DEVICES * 8 * 128, dtype=jnp.float32).reshape(DEVICES * 8, 128)
    gathered = np.asarray(run(x)).reshape(DEVICES, *x.shape)
    right_on = sum(bool((gathered[device] == x).all()) for device in range(DEVICES))
    print(f"{right_on} of {DEVICES} devices have gathered all blocks right")
