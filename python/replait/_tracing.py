"""What JAX knows while it traces a kernel and drops before the kernel runs.

Names of references, the grid, the source lines of waits and allocations: they exist only while
`interpret_pallas_call` runs, which stages out one `io_callback` for each op. Each staged callback
is wrapped in a `Noted`, which carries a note to run time and otherwise is the callback. A kernel
that was traced before the recorder was on has no notes, and records without those facts.
"""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from replait._sources import Frame
from replait._stamps import thread_state

if TYPE_CHECKING:
    from replait._recording import Recording

log = logging.getLogger("replait")


class Note:
    """What one staged callback is for."""

    __slots__ = ("dma", "launch", "names", "stack")

    def __init__(self, stack: tuple[Any, ...], launch: LaunchNote) -> None:
        self.stack = stack  # JAX SourceInfos, innermost first: JAX cuts a call stack at each trace.
        self.names: tuple[str, ...] = ()  # Of what it allocates: one, or one a semaphore.
        self.dma = False  # It allocates DMA semaphores.
        self.launch = launch


class Noted:
    """A callback with its note; calls through whether or not a recorder is on."""

    __slots__ = ("callback", "note")

    def __init__(self, callback: Callable[..., Any], note: Note) -> None:
        self.callback = callback
        self.note = note

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.callback(*args, **kwargs)


def unwrap(callback: Any) -> tuple[Any, dict[str, Any], Note | None]:
    """The function below partials and notes, its bound keywords, and the note."""
    keywords: dict[str, Any] = {}
    note = None
    while True:
        if isinstance(callback, Noted):
            note = callback.note
            callback = callback.callback
        elif isinstance(callback, functools.partial):
            keywords = {**callback.keywords, **keywords}
            callback = callback.func
        else:
            return callback, keywords, note


class LaunchNote:
    """What is known of a kernel before it runs."""

    def __init__(self, kernel: str, source: Any, points: GridPoints | None) -> None:
        self.kernel = kernel
        self.source = source  # Of the pallas_call.
        self.defined: Frame | None = None  # The kernel function.
        self.points = points  # None where a size of the grid is dynamic.
        self.start_barrier_is_real = True


class TraceScope:
    """One call of interpret_pallas_call."""

    def __init__(self, note: LaunchNote, names: list[Any], scoped: dict[int, list[Any]]) -> None:
        self.note = note
        self.names = iter(names)  # (name, aval) of the kernel's own allocations, in order.
        self.scoped = scoped  # id(traceback) of a run_scoped -> its variables, in order.
        self.taken: dict[int, int] = {}
        self.enclosing: list[
            Any
        ] = []  # Sources of the equations being interpreted, outermost first.


class Tracing:
    """The replacements at trace time."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._jax = recording.jax
        self._tpu = recording.jax.tpu

    def wrap_interpret_pallas_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def interpret_pallas_call(*args: Any, **kwargs: Any) -> Any:
            before = thread_state.scope
            try:
                thread_state.scope = self._scope(kwargs)
            except Exception:  # The kernel must run all the same.
                thread_state.scope = None
                log.warning(
                    "no names and grid points of this kernel: a fault of replait", exc_info=True
                )
            try:
                return original(*args, **kwargs)
            except NotImplementedError as error:
                note = thread_state.scope.note if thread_state.scope else None
                self._recording.guard(
                    self._recording.kernel_refused, kwargs["interpret_params"], note, error
                )
                raise
            finally:
                thread_state.scope = before

        return interpret_pallas_call

    def wrap_interpret_jaxpr(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def _interpret_jaxpr(*args: Any, **kwargs: Any) -> Any:
            scope = thread_state.scope
            if scope is None:
                return original(*args, **kwargs)
            scope.enclosing.append(self._jax.source_info_util.current())
            try:
                return original(*args, **kwargs)
            finally:
                scope.enclosing.pop()

        return _interpret_jaxpr

    def wrap_io_callback(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def io_callback(callback: Any, result_shape_dtypes: Any, *args: Any, **kwargs: Any) -> Any:
            scope = thread_state.scope
            if scope is not None:
                try:
                    callback = Noted(callback, self._note(scope, callback, args))
                except Exception:
                    log.warning("no facts of one op: a fault of replait", exc_info=True)
            return original(callback, result_shape_dtypes, *args, **kwargs)

        return io_callback

    def _note(self, scope: TraceScope, callback: Any, args: tuple[Any, ...]) -> Note:
        current = self._jax.source_info_util.current()
        note = Note((current, *reversed(scope.enclosing), scope.note.source), scope.note)
        function = unwrap(callback)[0]
        if function is self._tpu._allocate_buffer or function is self._tpu._allocate_semaphores:
            semaphores = function is self._tpu._allocate_semaphores
            self._name(note, scope, current, args, semaphores)
        return note

    def _name(
        self, note: Note, scope: TraceScope, current: Any, args: tuple[Any, ...], semaphores: bool
    ) -> None:
        if args[2] is None:  # For all cores: one of the kernel's own arguments.
            name, aval = next(scope.names, ("", None))
        else:
            variables = scope.scoped.get(id(current.traceback), [])
            if not variables:
                return
            position = scope.taken.get(id(current.traceback), 0)
            scope.taken[id(current.traceback)] = position + 1
            name, aval = variables[position % len(variables)]
        if not semaphores:
            note.names = (name,)
            return
        note.dma = "dma" in str(getattr(aval, "dtype", ""))
        note.names = tuple(_element_names(name, getattr(aval, "shape", ())))

    def _scope(self, call: dict[str, Any]) -> TraceScope:
        jaxpr, grid_mapping = call["jaxpr"], call["grid_mapping"]
        info = getattr(jaxpr, "debug_info", None)
        defined = _definition(getattr(info, "func_src_info", None) or "")
        kernel = call.get("name") or (defined.function_name if defined else "pallas_call")
        source = self._jax.source_info_util.current()
        note = LaunchNote(kernel, source, self._points(call))
        note.defined = defined
        note.start_barrier_is_real = self._communicates(jaxpr) and not getattr(
            call["compiler_params"], "skip_device_barrier", False
        )
        scoped: dict[int, list[Any]] = {}
        self._find_scoped(jaxpr, scoped)
        return TraceScope(note, self._argument_names(call, jaxpr, grid_mapping, info), scoped)

    def _argument_names(self, call: Any, jaxpr: Any, grid_mapping: Any, info: Any) -> list[Any]:
        """(name, aval) of each allocation for all cores, in the order in which they are staged."""
        variables = jaxpr.invars
        given = getattr(info, "arg_names", None) or ()
        names = [given[i] or "" if i < len(given) else "" for i in range(len(variables))]
        rows = [(name, variable.aval) for name, variable in zip(names, variables, strict=True)]
        scalars, inputs = grid_mapping.num_index_operands, grid_mapping.num_inputs
        outputs = grid_mapping.num_outputs
        aliased = {output for _, output in call["input_output_aliases"]}
        order = rows[scalars : scalars + inputs]
        order += [
            row
            for i, row in enumerate(rows[scalars + inputs : scalars + inputs + outputs])
            if i not in aliased
        ]
        order += rows[:scalars]
        for i, row in enumerate(rows[scalars:]):
            aval = row[1]
            if i < inputs + outputs:
                aval = grid_mapping.block_mappings[i].transformed_block_aval
            space = self._tpu._forward_any_to_hbm(aval.memory_space)
            if space is not self._tpu._HBM:
                order.append(row)
        return order

    def _points(self, call: dict[str, Any]) -> GridPoints | None:
        grid = call["grid_mapping"].grid
        if not all(isinstance(size, int) for size in grid):
            return None
        mesh, params = call["mesh"], call["interpret_params"]
        cores = params.num_cores_per_device
        compiler = call["compiler_params"] or self._tpu.mosaic_core.CompilerParams()
        parallel = self._tpu._get_parallel_dim_semantics(compiler, len(grid))
        coordinates: Any = [()] * len(grid)
        if isinstance(mesh, self._tpu.mosaic_core.TensorCoreMesh):
            cores = _mesh_cores(mesh)
            parallel = (True,) * len(grid) if cores > 1 else parallel
        elif any(parallel):
            with self._jax.jax.ensure_compile_time_eval():
                drawn = self._tpu._get_randomized_grid_coordinates(
                    grid, compiler, params.random_seed
                )
                coordinates = [[int(i) for i in axis] for axis in drawn]
        return GridPoints(grid, parallel, coordinates, cores)

    def _communicates(self, jaxpr: Any) -> bool:
        """Whether an op names a device, and none asks for the barrier semaphore."""
        names_device = False
        for equation in self._equations(jaxpr):
            name = equation.primitive.name
            if name == "get_barrier_semaphore":
                return False
            if name in ("dma_start", "semaphore_signal"):
                tree = equation.params.get("tree", equation.params.get("args_tree"))
                operands = self._jax.tree_util.tree_unflatten(tree, equation.invars)
                device = operands[4] if name == "dma_start" else operands[3]
                names_device |= device is not None
        return names_device

    def _find_scoped(self, jaxpr: Any, found: dict[int, list[Any]]) -> None:
        ambiguous = set()
        for equation in self._equations(jaxpr):
            if equation.primitive.name != "run_scoped":
                continue
            inner = equation.params["jaxpr"]
            given = getattr(inner.debug_info, "arg_names", None) or ()
            rows = [
                (given[i] or "" if i < len(given) else "", variable.aval)
                for i, variable in enumerate(inner.invars)
            ]
            place = id(equation.source_info.traceback)
            if place in found and [r[0] for r in found[place]] != [r[0] for r in rows]:
                ambiguous.add(place)
            found[place] = rows
        for place in ambiguous:
            del found[place]

    def _equations(self, jaxpr: Any) -> Iterator[Any]:
        jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
        for equation in jaxpr.eqns:
            yield equation
            for inner in self._jax.core.jaxprs_in_params(equation.params):
                yield from self._equations(inner)


def _definition(text: str) -> Frame | None:
    """From JAX's "kernel at /path/ring.py:12"."""
    match = re.fullmatch(r"(.+?) at (.+):(\d+)", text)
    return Frame(match[2], int(match[3]), 0, match[1]) if match else None


def _mesh_cores(mesh: Any) -> int:
    cores = getattr(mesh, "num_cores", None)
    return int(cores if cores is not None else mesh.devices.shape[0])


def _element_names(name: str, shape: tuple[int, ...]) -> Iterator[str]:
    """name[0, 0], name[0, 1], ...; only the name for a scalar."""
    for number in range(_product(shape)):
        index = []
        for size in reversed(shape):
            number, place = divmod(number, size)
            index.append(place)
        place_text = ", ".join(str(i) for i in reversed(index))
        yield f"{name}[{place_text}]" if name and shape else name


def _product(sizes: Sequence[int]) -> int:
    return functools.reduce(lambda a, b: a * b, sizes, 1)


class GridPoints:
    """The grid points of each core: JAX gives each a run of iterations, in row-major order.

    `coordinates` holds, for a parallel dimension, the order in which its points are visited; it is
    empty for any other.
    """

    def __init__(
        self,
        grid: tuple[int, ...],
        parallel: tuple[bool, ...],
        coordinates: Sequence[Sequence[int]],
        cores: int,
    ) -> None:
        self._grid, self._coordinates = grid, coordinates
        self._total = _product(grid)
        leading = _product(
            [n for n, is_parallel in zip(grid, parallel, strict=True) if is_parallel]
        )
        self._share = -(-leading // cores) * (self._total // leading) if leading else 0

    def point(self, core: int, step: int) -> tuple[int, ...] | None:
        """Where `core` is in its step number `step`, from 0. None: it has no such step."""
        number = core * self._share + step
        if step >= self._share or number >= self._total:
            return None
        point = []
        for size, order in zip(reversed(self._grid), reversed(self._coordinates), strict=True):
            number, place = divmod(number, size)
            point.append(order[place] if order else place)
        return tuple(reversed(point))
