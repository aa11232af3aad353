"""Single places where JAX's interpreter or numpy fail that the other tests reach only by dice.

docs/jax-sites.md names these tests. Each op is done by the installed JAX and by the Machine.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")

from machine_cases import Both, Range
from test_error_texts import HBM, KEY, array, check_error, raw_ranges  # noqa: F401


def with_buffer(*shape: int, **options: Any) -> Both:
    case = Both(**options)
    case.allocate(KEY, array(*shape))
    return case


@pytest.mark.parametrize(
    "dims",
    [(-1,), (slice(-2, 2, 1),), (slice(0, -1, 1),), (slice(2, 0, -1),), (slice(0, 2, -2),)],
    ids=["index", "start", "stop", "step", "step_two"],
)
def test_negative_number_in_a_store_is_an_assertion(dims: Range) -> None:
    case = with_buffer(4)
    case.store(KEY, dims, array(*() if isinstance(dims[0], int) else (2,)))
    check_error(case, "AssertionError")


def test_step_of_zero() -> None:
    case = with_buffer(4)
    case.get(KEY, (slice(0, 4, 0),))
    check_error(case, "ValueError", "slice step cannot be zero")
    case.store(KEY, (slice(0, 4, 0),), array(4))
    check_error(case, "ZeroDivisionError", "integer division or modulo by zero")


def test_more_dimensions_than_the_buffer_has() -> None:
    case = with_buffer(4)
    case.get(KEY, (4, 0))  # Outside in the first dimension, so the second is looked at late.
    check_error(case, "AssertionError")
    case.get(KEY, (slice(0, 4, 1), 0))
    check_error(case, "ValueError", "zip() argument 2 is shorter than argument 1")
    case.store(KEY, (3, 0), array())
    check_error(case, "ValueError", "zip() argument 2 is longer than argument 1")


def test_value_that_does_not_fit() -> None:
    case = with_buffer(4)
    case.create("internal", 2000)
    case.allocate(HBM, array(4))
    case.copy(KEY, (slice(0, 2, 1),), HBM, (), 2000)
    check_error(case, "ValueError", "could not broadcast input array from shape (2,) into shape")


def test_values_for_one_element() -> None:
    case = with_buffer(4)
    case.create("internal", 2000)
    case.allocate(HBM, array(2, 4))
    case.copy(HBM, (), KEY, (1,), 2000)
    check_error(case, "ValueError", "setting an array element with a sequence.")


def test_uninitialized_read_of_negative_size() -> None:
    case = with_buffer(4, outside="uninitialized")
    case.get(KEY, (slice(6, 5, 1),))
    check_error(case, "ValueError", "negative dimensions are not allowed")


def test_no_uninitialized_complex_number() -> None:
    case = Both(outside="uninitialized")
    case.allocate(KEY, np.zeros(2, np.complex64))
    case.get(KEY, (slice(1, 3, 1),))
    check_error(case, "NotImplementedError", "nan + complex64")


def test_swap_that_is_partly_outside() -> None:
    case = with_buffer(4)
    case.swap(KEY, (slice(2, 6, 1),), array(4))
    version = tuple(int(part) for part in re.findall(r"\d+", case.lines[0])[:2])
    check_error(case, "ValueError" if version >= (0, 12) else "AssertionError")
