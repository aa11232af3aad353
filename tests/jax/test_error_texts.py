"""The Machine raises what JAX raises: type and text, by direct call into the installed JAX.

Every outcome is compared: exception type, text, and the bytes that a read returns. Runs on every
supported JAX.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from jax._src.pallas.mosaic.interpret import interpret_pallas_call as interpreter  # noqa: E402
from jax._src.pallas.mosaic.interpret import utils  # noqa: E402
from jax.experimental.pallas import tpu as pltpu  # noqa: E402

from machine_cases import Both, Key, Range, RawTransforms, compare  # noqa: E402


@pytest.fixture(autouse=True)
def raw_ranges(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets RawTransforms through, and leaves no interpreter state behind."""
    to_range = utils.to_range

    def raw(transforms: Any) -> Range:
        return transforms.dims if isinstance(transforms, RawTransforms) else to_range(transforms)

    monkeypatch.setattr(utils, "to_range", raw)
    yield
    interpreter.reset_tpu_interpret_mode_state()


KEY: Key = ("vmem", 100, 0, 0)
HBM: Key = ("hbm", 100, 0, 0)


def array(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.int8).reshape(shape)


def check_error(case: Both, kind: str, *parts: str) -> None:
    """That the last op raised at all, and says what the test is about."""
    compare([case])
    last = case.expected[-1] or ""
    assert last.startswith(f"{kind}\t")
    for part in parts:
        assert part in last


@pytest.mark.parametrize("op", ["get", "store", "swap", "free"])
def test_what_is_no_buffer(op: str) -> None:
    case = Both()
    case.allocate_other(KEY)
    apply(case, op, KEY)
    check_error(case, "ValueError", "Attempting to ", "('vmem', 100, 0, 0)", "`Buffer`")


@pytest.mark.parametrize("op", ["get", "store", "swap", "free"])
@pytest.mark.parametrize("key", [("smem", 101, 0, 0), ("any", 7, 1, 0), ("vmem", 1, 1, 1)])
def test_missing_key(op: str, key: Key) -> None:
    case = Both(devices=2, cores=2)
    apply(case, op, key)
    check_error(case, "KeyError", repr(key))


def apply(case: Both, op: str, key: Key) -> None:
    if op == "get":
        case.get(key, (), core=key[3])
    elif op == "store":
        case.store(key, (), array(2), core=key[3])
    elif op == "swap":
        case.swap(key, (), array(2), core=key[3])
    else:
        case.free(key)


@pytest.mark.parametrize(
    "logical", [(4, 9), (5, 8), (4,), (4, 8, 1), (5,), (9, 9, 9), (4, 8), (0, 0)]
)
def test_logical_shape(logical: tuple[int, ...]) -> None:
    case = Both()
    case.allocate(KEY, array(4, 8), logical)
    compare([case])
    assert (case.expected[0] is None) == (logical in [(4, 8), (0, 0)])


def test_a_held_key_hides_an_impossible_buffer() -> None:
    case = Both()
    case.allocate(KEY, array(4))
    case.allocate(KEY, array(2, 2), (3, 3))
    case.get(KEY, ())
    compare([case])


def test_references() -> None:
    case = Both()
    case.allocate(KEY, array(4), refs=2)
    case.free(KEY)
    case.get(KEY, ())
    case.free(KEY)
    case.free(KEY)
    case.allocate(KEY, array(2), refs=0)
    case.free(KEY)
    check_error(case, "AssertionError")


@pytest.mark.parametrize("dims", [(slice(2, 6, 1),), (slice(4, 5, 1),), (4,), (slice(0, 10, 2),)])
@pytest.mark.parametrize("key,core", [(KEY, 0), (HBM, 1)])
def test_out_of_bounds(dims: Range, key: Key, core: int) -> None:
    value = np.zeros(value_shape(dims, (4,)), np.int8)
    for op in ("read", "write", "swap"):
        case = Both(cores=2)
        case.allocate(key, array(4))
        if op == "read":
            case.get(key, dims, core=core)
            check_error(case, "IndexError", f"(0 {core} {key[0]} 100)")
        elif op == "write":
            case.store(key, dims, value, core=core)
            check_error(case, "ValueError", f"(0 {core} {key[0]} 100)")
        else:
            case.swap(key, dims, value, core=core)
            compare([case])
            assert case.expected[-1].split("\t")[0] in ("ValueError", "AssertionError")


def test_masked_swap_out_of_bounds() -> None:
    case = Both()
    case.allocate(KEY, array(4))
    case.swap(KEY, (slice(2, 6, 1),), array(4), np.array([1, 0, 1, 0], bool))
    check_error(case, "ValueError", "Out-of-bounds masked swap")


@pytest.mark.parametrize("block,iteration", [((1,), (3,)), ((0, 5), (1, 2)), ((), ())])
def test_block_index_out_of_bounds(block: tuple[int, ...], iteration: tuple[int, ...]) -> None:
    window = ("x_ref", block, iteration)
    case = Both(cores=2)
    case.allocate(HBM, array(4))
    case.get(HBM, (slice(4, 8, 1),), core=1, window=window)
    check_error(case, "IndexError", 'for input "x_ref"', "(core 1)")
    case.store(HBM, (slice(4, 8, 1),), array(4), core=1, window=window)
    check_error(case, "IndexError", 'for output "x_ref"', "(core 1)")


def test_semaphore_in_both_spaces() -> None:
    for first, second in (("fixed", "internal"), ("internal", "fixed")):
        case = Both()
        case.create(first, 2001)
        case.create(second, 2001)
        case.signal(2001)
        check_error(case, "ValueError", "Semaphore 2001 occurs as both fixed-id and internal.")
        case.wait(2001, 1)
        case.allocate(KEY, array(4))
        case.copy(KEY, (), KEY, (), 2001)
        check_error(case, "ValueError", "Semaphore 2001 occurs as both fixed-id and internal.")


def test_missing_semaphore() -> None:
    case = Both()
    case.create("internal", 2000)
    case.allocate(KEY, array(4))
    for op in (
        lambda: case.signal(2002),
        lambda: case.wait(2002, 1),
        lambda: case.copy(KEY, (), KEY, (), 2002),
        lambda: case.copy(KEY, (), KEY, (), 2000, send=2002),
    ):
        op()
        check_error(case, "KeyError", "2002")


def test_semaphore_counts() -> None:
    case = Both(devices=2, cores=2)
    case.create("internal", 2000)
    case.wait(2000, 0)
    case.signal(2000, 5)
    case.wait(2000, 5)
    for increment in (2**31, -(2**31) - 1, 2**40):
        case.signal(2000, increment)
        check_error(case, "OverflowError")
    case.signal(2000, 1, device=0, core=3)  # A core of the next device.
    case.signal(2000, 1, device=2)
    check_error(case, "IndexError")


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_semaphore_count_wraps(capsys: pytest.CaptureFixture[str]) -> None:
    case = Both()
    case.create("internal", 2000)
    case.signal(2000, 2**31 - 1)
    case.signal(2000, 5)
    case.check(0, capsys)
    compare([case])
    assert case.expected[-1] is not None
    assert case.expected[-1].endswith("at kernel exit: -2147483644")


@pytest.mark.parametrize("space", ["internal", "fixed"])
def test_semaphore_nonzero_at_exit(space: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = Both(devices=2, cores=2)
    case.create(space, 2003)
    case.signal(2003, 3, device=1, core=1, space=space)
    case.check(0, capsys)
    assert case.expected[-1] is None
    case.check(1, capsys)
    compare([case])
    assert case.expected[-1] == (
        "\tSemaphore 2003 has non-zero count for 1 (global core 3) at kernel exit: 3"
    )


@pytest.mark.parametrize("devices,cores", [(1, 1), (2, 1), (2, 3)])
@pytest.mark.parametrize("more", [0, 1])
def test_vector_clock_size(devices: int, cores: int, more: int) -> None:
    size = devices * cores + more
    params = pltpu.InterpretParams(vector_clock_size=size, num_cores_or_threads=cores)
    case = Both()
    case.lines[0] = f"case {jax.__version__} {devices} {cores} raise nan {size}"
    case.note("enter", lambda: params.get_vector_clock_size(devices))
    compare([case])
    assert (case.expected[0] is None) == (more == 1)


def test_copies() -> None:
    whole: Range = ()
    other: Key = ("vmem", 101, 0, 0)
    for source, destination in (
        (whole, whole),
        ((slice(2, 6, 1),), whole),
        (whole, (slice(2, 6, 1),)),
        ((slice(0, 2, 1),), whole),
        (whole, (slice(0, 2, 1),)),
        ((slice(3, 4, 1),), (slice(1, 4, 1),)),
        ((3,), (slice(2, 4, 1),)),
        ((3,), (2,)),
    ):
        case = Both()
        case.create("internal", 2000)
        case.create("internal", 2001)
        case.allocate(KEY, array(4))
        case.allocate(other, array(4)[::-1])
        case.copy(KEY, source, other, destination, 2000, send=2001)
        case.content(other)
        compare([case])


def test_copy_of_another_type() -> None:
    case = Both()
    case.create("internal", 2000)
    case.allocate(KEY, array(4))
    case.allocate(HBM, array(4).astype(np.uint8))
    case.copy(KEY, (), HBM, (), 2000)
    check_error(case, "AssertionError")


def test_copy_without_its_buffers() -> None:
    case = Both()
    case.create("internal", 2000)
    case.copy(KEY, (), HBM, (), 2000)
    check_error(case, "KeyError", repr(KEY))
    case.allocate(KEY, array(4))
    case.copy(KEY, (), HBM, (), 2000)
    check_error(case, "KeyError", repr(HBM))


# fmt: off
TYPES = [
    "bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8",
    "uint16", "uint32", "uint64", "float4_e2m1fn", "float8_e3m4", "float8_e4m3",
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "bfloat16", "float16", "float32", "float64", "complex64", "complex128",
]
# fmt: on


@pytest.mark.parametrize("memory", ["nan", "zero"])
@pytest.mark.parametrize("name", TYPES)
def test_uninitialized_elements(name: str, memory: str) -> None:
    case = Both(outside="uninitialized", memory=memory)
    case.allocate(KEY, np.zeros((2, 2), jax.numpy.dtype(name)))
    case.get(KEY, (slice(1, 3, 1),))
    case.get(KEY, (5,))
    compare([case])


def value_shape(dims: Range, logical: tuple[int, ...]) -> tuple[int, ...]:
    sizes = [
        len(range(dim.start, max(dim.start, dim.stop), max(dim.step, 1)))
        for dim in dims
        if not isinstance(dim, int)
    ]
    return (*sizes, *logical[len(dims) :])


def random_dim(rng: random.Random, size: int) -> Any:
    near = [-size - 1, -size, -2, -1, 0, 0, 0, 1, size - 1, size, size + 1]
    start = rng.choice(near)
    if rng.random() < 0.25:
        return start
    step = rng.choice([1, 1, 1, 1, 2, 3])
    if rng.random() < 0.02:
        step = 0
    if rng.random() < 0.2:
        return slice(start, rng.choice([*near, start + 5]), step)  # No whole number of steps.
    if rng.random() < 0.5 and size > 0:
        start = rng.randrange(size)
    count = rng.choice([0, 1, 1, 2, 3, max(0, -(-(size - start) // max(step, 1)))])
    return slice(start, start + count * step, step)


def ends_before_zero(dim: Any) -> bool:
    """A slice that no ref can ask for; the size of its value is not that of its range."""
    return not isinstance(dim, int) and dim.start >= 0 > dim.stop


def random_case(rng: random.Random) -> Both:
    case = Both(outside=rng.choice(["raise", "uninitialized"]), memory=rng.choice(["nan", "zero"]))
    shape = tuple(rng.choice([0, 1, 2, 3, 4, 5, 8]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3])))
    padded = rng.random() < 0.3
    logical = tuple(rng.randint(0, size) for size in shape) if padded else shape
    elements = np.frombuffer(rng.randbytes(int(np.prod(shape, dtype=int))), np.int8)
    case.allocate(KEY, elements.reshape(shape), logical)
    for _ in range(4):
        rank = rng.choice([len(shape), len(shape), len(shape), max(0, len(shape) - 1), 0])
        if rng.random() < 0.05:
            rank = len(shape) + 1
        sizes = [shape[i] if i < len(shape) else 1 for i in range(rank)]
        dims = tuple(random_dim(rng, size) for size in sizes)
        value_size = value_shape(dims, logical)
        count = int(np.prod(value_size, dtype=int))
        value = np.frombuffer(rng.randbytes(count), np.int8).reshape(value_size)
        op = rng.choice(["get", "store", "swap", "masked"])
        if op == "get":
            case.get(KEY, dims)
        elif op == "store":
            case.store(KEY, dims, value)
        elif op == "swap":
            case.swap(KEY, dims, value)
        elif not any(ends_before_zero(dim) for dim in dims):
            density = rng.choice([0.05, 0.5, 1.0])
            bits = np.array([rng.random() < density for _ in range(count)], bool)
            case.swap(KEY, dims, value, bits.reshape(value_size))
        case.content(KEY)
    return case


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", range(8))
def test_random_ranges(seed: int) -> None:
    rng = random.Random(seed)
    cases = [random_case(rng) for _ in range(100)]
    compare(cases)
    raised = [text for case in cases for text in case.expected if text and "\t" in text]
    # The dice must reach each form, or the comparison says little.
    for form in ("Out-of-bounds read", "Out-of-bounds write", "AssertionError", "zip()"):
        assert any(form in text for text in raised), form
