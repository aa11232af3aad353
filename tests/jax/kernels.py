"""Small TPU kernels to record: each clean, or with one thing wrong, as its name says."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec

BLOCK = (8, 128)
F32 = jax.ShapeDtypeStruct(BLOCK, jnp.float32)
ANY = pl.BlockSpec(memory_space=pl.ANY)


def params(mode="on_wait", cores=1, **options):
    return pltpu.InterpretParams(dma_execution_mode=mode, num_cores_or_threads=cores, **options)


def ones(*shape):
    return jnp.ones(shape or BLOCK, jnp.float32)


def sharded(function, devices, in_specs, out_specs):
    mesh = jax.make_mesh((devices,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.jit(
        jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)
    )


def ring(devices=4, *, waits_for_data=True, own_semaphores=True, mode="on_wait"):
    """An all-gather: in each step a device hands on to its right what it got from its left."""

    def kernel(x, out, local_sem, send_sem, recv_sem):
        me = lax.axis_index("x")
        right, left = lax.rem(me + 1, devices), lax.rem(me + devices - 1, devices)
        barrier = pltpu.get_barrier_semaphore()
        for neighbour in (left, right):
            pl.semaphore_signal(barrier, 1, device_id=(neighbour,))
        pl.semaphore_wait(barrier, 2)
        local = pltpu.make_async_copy(x, out.at[me], local_sem)
        local.start()
        local.wait()
        late = []
        for step in range(devices - 1):
            slot = lax.rem(me - step + devices, devices)
            remote = pltpu.make_async_remote_copy(
                out.at[slot],
                out.at[slot],
                send_sem.at[step],
                recv_sem.at[step if own_semaphores else 0],
                device_id=(right,),
            )
            remote.start()
            remote.wait_send()
            if waits_for_data:
                remote.wait_recv()
            else:
                late.append(remote)
        for remote in late:
            remote.wait_recv()

    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((devices, *BLOCK), jnp.float32),
        in_specs=[ANY],
        out_specs=ANY,
        scratch_shapes=[
            pltpu.SemaphoreType.DMA,
            pltpu.SemaphoreType.DMA((devices - 1,)),
            pltpu.SemaphoreType.DMA((devices - 1,)),
        ],
        compiler_params=pltpu.CompilerParams(collective_id=0),
        interpret=params(mode),
    )
    spec = PartitionSpec("x", None)
    x = jnp.arange(devices * 1024, dtype=jnp.float32).reshape(devices * 8, 128)
    return sharded(call, devices, spec, PartitionSpec("x", None, None))(x)


def two_cores(*, synced):
    """Both cores of a device add 1 to one array in HBM, one after the other if synced."""
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)
    interpret = params(cores=2)

    @jax.jit
    def increment(x):
        def stateful(refs):
            _, out = refs
            collective = pltpu.CompilerParams(collective_id=0)

            @pl.core_map(mesh, interpret=interpret, compiler_params=collective)
            def _():
                me = lax.axis_index("core")

                def body(block, copy_sem, turn):
                    if synced:
                        entered = pltpu.get_barrier_semaphore()
                        pl.semaphore_signal(entered, 1, core_index=1 - me)
                        pl.semaphore_wait(entered, 1)
                        pl.when(me == 1)(lambda: pl.semaphore_wait(turn, 1))
                    pltpu.async_copy(out, block, copy_sem).wait()
                    block[...] = block[...] + 1.0
                    pltpu.async_copy(block, out, copy_sem).wait()
                    if synced:
                        pl.when(me == 0)(lambda: pl.semaphore_signal(turn, 1, core_index=1))

                scratch = pltpu.VMEM(BLOCK, jnp.float32)
                semaphores = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
                pl.run_scoped(body, scratch, *semaphores)

        return pl.run_state(stateful)((x, jnp.zeros_like(x)))[1]

    return increment(jnp.zeros(BLOCK, jnp.float32))


def blocks(*, parallel=False, cores=1):
    """A grid of 2 by 3 blocks, in VMEM windows that JAX fetches and writes back."""

    def kernel(x, y, out):
        out[...] = x[...] + 2.0 * y[...]

    spec = pl.BlockSpec(BLOCK, lambda i, j: (i, j))
    semantics = ("parallel" if parallel else "arbitrary", "arbitrary")
    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((16, 384), jnp.float32),
        grid=(2, 3),
        in_specs=[spec, spec],
        out_specs=spec,
        compiler_params=pltpu.CompilerParams(dimension_semantics=semantics),
        interpret=params(cores=cores, random_seed=5),
    )
    return jax.jit(call)(ones(16, 384), ones(16, 384))


def scoped(mode="on_wait"):
    """Scopes within scopes, loops, branches, integer indices and strides."""

    def kernel(x, out, turn):
        def outer(block, copy_sem):
            pltpu.sync_copy(x, block)

            def inner(counter):
                counter[0] = 0

                @pl.loop(0, 3)
                def _(row):
                    counter[0] += 1
                    block[row, :] = block[row, :] + 1.0

                @pl.when(counter[0] == 3)
                def _():
                    pl.semaphore_signal(turn, 2)

            pl.run_scoped(inner, pltpu.SMEM((1,), jnp.int32))
            pl.semaphore_wait(turn, 2)
            pltpu.async_copy(block.at[pl.ds(0, 4)], out.at[pl.ds(4, 4)], copy_sem).wait()
            pltpu.async_copy(block.at[pl.ds(4, 4)], out.at[pl.ds(0, 4)], copy_sem).wait()

        pl.run_scoped(outer, pltpu.VMEM(BLOCK, jnp.float32), pltpu.SemaphoreType.DMA)

    call = pl.pallas_call(
        kernel,
        out_shape=F32,
        in_specs=[ANY],
        out_specs=ANY,
        scratch_shapes=[pltpu.SemaphoreType.REGULAR],
        interpret=params(mode),
    )
    return jax.jit(call)(ones())


def masked():
    """Stores through a mask."""

    def kernel(x, out):
        out[...] = jnp.zeros(BLOCK, jnp.float32)
        mask = lax.broadcasted_iota(jnp.int32, BLOCK, 1) % 3 == 0
        pltpu.store(out, x[...], mask=mask)

    return jax.jit(pl.pallas_call(kernel, out_shape=F32, interpret=params()))(ones())


def doubled(x):
    def kernel(x, out):
        out[...] = x[...] + x[...]

    return pl.pallas_call(kernel, out_shape=F32, interpret=params())(x)


def settled(result):
    """The arrays of a result, computed."""
    return jax.tree.map(np.asarray, jax.block_until_ready(result))
