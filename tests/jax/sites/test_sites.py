"""The table of JAX's failures is whole: every site of the installed JAX, each with a verdict."""

import ast
import re
import textwrap
from pathlib import Path

import pytest
from listing import FOLDERS, Site, installed_pallas, installed_version, list_sites
from table import DOCS, REPRODUCED, differences, is_a_test, load, render, take_in, wrong_rows

AN_EXCEPTION = """
    class Memory:
      def get(self, key):
        if key not in self.held:
          raise ValueError(
              f'No key {key}'
              f' of {self.size} keys.'
          )
"""


@pytest.fixture(scope="module")
def installed() -> list[Site]:
    return list_sites(installed_pallas())


def sites_of(tmp_path: Path, text: str, name: str = "shared_memory.py") -> list[Site]:
    """Lists the sites of a JAX that has this one file."""
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / FOLDERS[0] / name).write_text(textwrap.dedent(text), encoding="utf-8")
    return list_sites(tmp_path)


def table_of(sites: list[Site]) -> dict:
    table = {"jax": [], "sites": {}, "unraised": []}
    take_in(table, "1.0", sites)
    return table


def test_table_has_the_sites_of_the_installed_jax(installed: list[Site]):
    assert differences(load(), installed_version(), installed) == []


def test_installed_jax_has_the_functions_of_errors_that_no_statement_raises():
    pallas = installed_pallas()
    missing = []
    for row in load()["unraised"]:
        if installed_version() not in row["versions"]:
            continue
        tree = ast.parse((pallas / row["file"]).read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        if row["function"] not in names:
            missing.append(f"{row['file']}: no function {row['function']}")
    assert missing == []


def test_every_row_has_a_verdict_and_its_tests_exist():
    assert wrong_rows(load()) == []


def test_docs_are_those_of_the_table():
    assert DOCS.read_text(encoding="utf-8") == render(load()), "run table.py docs"


def words_of(text: str) -> str:
    """The words of the first line of a template, without what is filled in."""
    return " ".join(re.findall(r"\w+", re.sub(r"\{[^{}]*\}", " ", text.split("\n")[0])))


def headings_of_errors() -> list[str]:
    text = (DOCS.parent / "errors.md").read_text(encoding="utf-8")
    return [line.strip("#` ") for line in text.split("\n") if line.startswith("### ")]


def test_every_text_that_people_see_is_explained():
    explained = {words_of(heading) for heading in headings_of_errors()}
    rows = [*load()["sites"].values(), *load()["unraised"]]
    unexplained = [
        row["text"]
        for row in rows
        if words_of(row["text"])
        and row.get("why") not in ("internal", "log")
        and words_of(row["text"]) not in explained
        and words_of(f"{row['exception']}: {row['text']}") not in explained
    ]
    assert unexplained == []


def test_kernels_that_the_explanations_record_exist():
    root = DOCS.parents[1]
    sources = "".join(path.read_text(encoding="utf-8") for path in root.glob("examples/cpp/*.cpp"))
    text = (DOCS.parent / "errors.md").read_text(encoding="utf-8")
    recorded = re.findall(r"^\$ replait record ([a-z][a-z-]*) ", text, re.MULTILINE)
    assert len(recorded) > 10
    assert [name for name in recorded if f'"{name}"' not in sources] == []


def test_id_survives_lines_that_move_and_names_that_change(tmp_path: Path):
    (before,) = sites_of(tmp_path, AN_EXCEPTION)
    moved = AN_EXCEPTION.replace("self.size", "self.count").replace("f'No key", "f'No ' f'key")
    (after,) = sites_of(tmp_path, "\n\n" + moved)
    assert before.id == after.id
    assert before.line != after.line
    assert before.text == "No key {key} of {size} keys."
    assert (before.function, before.kind, before.exception) == ("Memory.get", "raise", "ValueError")


def test_equal_sites_of_one_function_have_ids_of_their_own(tmp_path: Path):
    first, second = sites_of(tmp_path, "def f(x):\n  assert x\n  assert x\n")
    assert second.id == first.id + "~2"


def test_message_in_a_variable_and_reraise_and_print_are_seen(tmp_path: Path):
    text = """
        def f(x):
          msg = f'RACE\\n{x}'
          try:
            raise RuntimeError(msg)
          except RuntimeError:
            print('failed: ' + str(x))
            logger.warning(msg)
            raise
    """
    found = [(site.kind, site.exception, site.text) for site in sites_of(tmp_path, text)]
    assert found == [
        ("raise", "RuntimeError", "RACE\n{x}"),
        ("print", "", "failed: {str}"),
        ("log", "", "RACE\n{x}"),
        ("raise", "", ""),
    ]


def test_new_site_is_named(tmp_path: Path):
    table = table_of(sites_of(tmp_path, AN_EXCEPTION))
    more = AN_EXCEPTION + "        raise KeyError('gone')\n"
    (line,) = differences(table, "2.0", sites_of(tmp_path, more))
    assert "gone" in line and "JAX 2.0" in line and "shared_memory.py:9" in line


def test_vanished_site_is_named(tmp_path: Path):
    table = table_of(sites_of(tmp_path, AN_EXCEPTION))
    (line,) = differences(table, "1.0", sites_of(tmp_path, "x = 1\n"))
    assert "Memory.get:raise" in line and "not in JAX 1.0" in line


def test_changed_text_is_a_vanished_and_a_new_site(tmp_path: Path):
    table = table_of(sites_of(tmp_path, AN_EXCEPTION))
    lines = differences(table, "1.0", sites_of(tmp_path, AN_EXCEPTION.replace("No key", "Lost")))
    assert len(lines) == 2


def test_site_that_a_new_jax_lacks_keeps_its_old_versions(tmp_path: Path):
    table = table_of(sites_of(tmp_path, AN_EXCEPTION))
    take_in(table, "1.10", sites_of(tmp_path, "def f():\n  raise OSError('new')\n"))
    versions = [row["versions"] for row in table["sites"].values()]
    assert sorted(versions) == [["1.0"], ["1.10"]]
    assert table["jax"] == ["1.0", "1.10"]


@pytest.mark.parametrize(
    ("fields", "said"),
    (
        ({"verdict": REPRODUCED}, "no such test"),
        ({"verdict": REPRODUCED, "tests": ["tests/unit/model/x_test.cpp: No.Such"]}, "no such"),
        ({"verdict": "out of scope"}, "why is it out of scope"),
        ({"verdict": "out of scope", "why": "dull"}, "why is it out of scope"),
        ({"verdict": "perhaps"}, "its verdict is 'perhaps'"),
        ({"verdict": "open", "why": "internal"}, "open, yet"),
    ),
)
def test_incomplete_verdict_is_found(tmp_path: Path, fields: dict, said: str):
    table = table_of(sites_of(tmp_path, AN_EXCEPTION))
    next(iter(table["sites"].values())).update(fields)
    (line,) = wrong_rows(table)
    assert said in line


def test_named_tests_are_looked_up_in_their_files():
    here = Path(__file__).relative_to(DOCS.parents[1]).as_posix()
    assert is_a_test(f"{here}::test_named_tests_are_looked_up_in_their_files")
    assert not is_a_test(f"{here}::test_that_nobody_wrote")
    assert is_a_test("tests/unit/base/rng_test.cpp: Rng.BelowOneIsAlwaysZero")
    assert not is_a_test("tests/unit/base/rng_test.cpp: Rng.BelowOne")
    assert not is_a_test("tests/unit/base/no_test.cpp: Rng.BelowOneIsAlwaysZero")
