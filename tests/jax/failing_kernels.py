"""Kernels that fail, print, or never end: one for each way."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec

from kernels import ANY, BLOCK, F32, ones, params, sharded


def one_device(kernel, *scratch, outputs=F32, inputs=None, **options):
    """A kernel of one argument and one result in VMEM, called with ones."""
    interpret = options.pop("interpret", params())
    call = pl.pallas_call(
        kernel,
        out_shape=outputs,
        scratch_shapes=scratch,
        interpret=interpret,
        **options,
    )
    return jax.jit(call)(*(inputs if inputs is not None else [ones()]))


def reads_out_of_bounds():
    def kernel(x, out):
        out[0, :] = x[x[0, 0].astype(jnp.int32) * 9, :]

    return one_device(kernel)


def stores_out_of_bounds():
    def kernel(x, out):
        out[...] = x[...]
        out[x[0, 0].astype(jnp.int32) * 8, :] = x[0, :]

    return one_device(kernel)


def copies_out_of_bounds():
    def kernel(x, out, sem):
        start = x[0, 0].astype(jnp.int32) * 6
        pltpu.async_copy(x.at[pl.ds(0, 4)], out.at[pl.ds(start, 4)], sem).wait()

    return one_device(kernel, pltpu.SemaphoreType.DMA)


def block_out_of_bounds():
    def kernel(x, out):
        out[...] = x[...]

    spec = pl.BlockSpec(BLOCK, lambda i: (i + 1, 0))
    whole = pl.BlockSpec(BLOCK, lambda i: (i, 0))
    return one_device(
        kernel,
        outputs=jax.ShapeDtypeStruct((16, 128), jnp.float32),
        inputs=[ones(16, 128)],
        grid=(2,),
        in_specs=[spec],
        out_specs=whole,
    )


def revisits_a_block():
    def kernel(x, out):
        out[...] = x[...]

    spec = pl.BlockSpec(BLOCK, lambda i: (i % 2, 0))
    return one_device(
        kernel,
        outputs=jax.ShapeDtypeStruct((16, 128), jnp.float32),
        inputs=[ones(16, 128)],
        grid=(3,),
        in_specs=[spec],
        out_specs=spec,
    )


def copies_into_a_scope_that_ended():
    """The copy runs inside a wait that comes after its destination was released."""

    def kernel(x, out, sem):
        def scope(block):
            pltpu.make_async_copy(x, block, sem).start()

        pl.run_scoped(scope, pltpu.VMEM(BLOCK, jnp.float32))
        pltpu.make_async_copy(x, out, sem).wait()

    return one_device(kernel, pltpu.SemaphoreType.DMA, in_specs=[ANY], out_specs=ANY)


def clock_too_small():
    def kernel(x, out):
        out[...] = x[...]

    return one_device(kernel, interpret=params(vector_clock_size=1))


def one_id_in_two_spaces():
    def kernel(x, out, sem):
        out[...] = x[...]
        pl.semaphore_signal(pltpu.get_barrier_semaphore(), 1)

    collective = pltpu.CompilerParams(collective_id=2000)
    return one_device(kernel, pltpu.SemaphoreType.REGULAR, compiler_params=collective)


def leaves_a_count():
    def kernel(x, out, sem):
        out[...] = x[...]
        pl.semaphore_signal(sem, 3)

    return one_device(kernel, pltpu.SemaphoreType.REGULAR)


def refuses_a_masked_load():
    def kernel(x, out):
        mask = lax.broadcasted_iota(jnp.int32, BLOCK, 1) > 3
        out[...] = pltpu.load(x, mask=mask)

    return one_device(kernel)


def one_device_of_two_fails():
    """Device 1 stores out of bounds; device 0 waits for its signal."""

    def kernel(x, out, sem):
        me = lax.axis_index("x")
        out[...] = x[...]

        @pl.when(me == 1)
        def _():
            out[me * 8, :] = x[0, :]

        other = (1 - me,)
        pl.semaphore_signal(sem, 1, device_id=other)
        pl.semaphore_wait(sem, 1)

    call = pl.pallas_call(
        kernel,
        out_shape=F32,
        scratch_shapes=[pltpu.SemaphoreType.REGULAR],
        interpret=params(),
    )
    spec = PartitionSpec("x", None)
    return sharded(call, 2, spec, spec)(ones(16, 128))


def one_core_of_two_fails():
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)

    @jax.jit
    def run(x):
        def stateful(refs):
            _, out = refs

            @pl.core_map(mesh, interpret=params(cores=2))
            def _():
                me = lax.axis_index("core")

                def body(block):
                    block[me * 8, :] = jnp.zeros((128,), jnp.float32)
                    pltpu.sync_copy(block, out)

                pl.run_scoped(body, pltpu.VMEM(BLOCK, jnp.float32))

        return pl.run_state(stateful)((x, jnp.zeros_like(x)))[1]

    return run(ones())


def waits_for_ever(devices=2, copies=0):
    """Device 0 waits for two signals of which one comes; copies that nobody waits for may run."""

    def kernel(x, out, turn, copied):
        me = lax.axis_index("x")
        for i in range(copies):
            pltpu.make_async_copy(x, out.at[i], copied.at[i]).start()
        pl.when(me == 1)(lambda: pl.semaphore_signal(turn, 1, device_id=(0,)))
        pl.when(me == 0)(lambda: pl.semaphore_wait(turn, 2))

    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((max(copies, 1), *BLOCK), jnp.float32),
        in_specs=[ANY],
        out_specs=ANY,
        scratch_shapes=[
            pltpu.SemaphoreType.REGULAR,
            pltpu.SemaphoreType.DMA((max(copies, 1),)),
        ],
        interpret=params(),
    )
    spec = PartitionSpec("x")
    return sharded(call, devices, spec, spec)(ones(devices * 8, 128))


def a_core_waits_for_ever():
    """Core 1 waits for a signal that core 0 never sends."""
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)

    @jax.jit
    def run(x):
        def stateful(refs):
            x, out = refs

            @pl.core_map(mesh, interpret=params(cores=2))
            def _():
                me = lax.axis_index("core")

                def body(copied, turn):
                    pl.when(me == 0)(lambda: pltpu.async_copy(x, out, copied).wait())
                    pl.when(me == 1)(lambda: pl.semaphore_wait(turn, 1))

                pl.run_scoped(body, pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR)

        return pl.run_state(stateful)((x, jnp.zeros_like(x)))[1]

    return run(ones())
