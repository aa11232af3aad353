"""The table of JAX's failures: sites.json, what must hold of it, and docs/jax-sites.md made of it.

    python tests/jax/sites/table.py update [PALLAS-FOLDER VERSION]   takes in the sites of a JAX
    python tests/jax/sites/table.py docs                             writes docs/jax-sites.md

`update` adds new sites as `open`; whoever adds them says what they are.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from listing import Site, installed_pallas, installed_version, list_sites, without_names

ROOT = Path(__file__).resolve().parents[3]
TABLE = Path(__file__).with_name("sites.json")
DOCS = ROOT / "docs" / "jax-sites.md"

REPRODUCED, OUT_OF_SCOPE, OPEN = "reproduced", "out of scope", "open"

# Why no simulated op can reach a site.
REASONS = {
    "parameters": "a check of arguments, made before the first simulated op",
    "unsupported": "a primitive or feature that JAX's interpreter refuses",
    "internal": "JAX's own bookkeeping: no op can break it, or it passes on another row's error",
    "log": "prints a log or a dump on request",
    "detector": "JAX's race detector, in whose place replait's own stands",
}

Row = dict[str, object]
Table = dict[str, object]


def load() -> Table:
    """Returns the table: "jax" (versions), "sites" (id -> row), "unraised" (rows)."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


def save(table: Table) -> None:
    """Writes the table, a field a line and a list of words on one."""
    text = json.dumps(table, indent=1, ensure_ascii=False)
    text = re.sub(r"\[\s+(\"[^\[\]{}]*?)\s+\]", lambda m: f"[{' '.join(m[1].split())}]", text)
    TABLE.write_text(text + "\n", encoding="utf-8")


def differences(table: Table, version: str, sites: list[Site]) -> list[str]:
    """Returns where the table and the sites of a JAX disagree, each line naming a site.

    A version that the table does not know is held against its newest one.
    """
    held_against = version if version in table["jax"] else table["jax"][-1]
    rows = table["sites"]
    expected = {name for name, row in rows.items() if held_against in row["versions"]}
    found = {site.id: site for site in sites}
    lines = [
        f"{site.file}:{site.line}: JAX {version} has {name} ({site.text or site.condition}), "
        "which the table does not: run `table.py update`, say what it is, run `table.py docs`"
        for name, site in found.items()
        if name not in expected
    ]
    lines += [
        f"{rows[name]['file']}: {name} is in the table but not in JAX {version}"
        for name in sorted(expected - set(found))
    ]
    for name in sorted(expected & set(found)):
        site, row = found[name], rows[name]
        if (row["kind"], row["exception"]) != (site.kind, site.exception) or without_names(
            str(row["text"])
        ) != without_names(site.text):
            lines.append(f"{name}: the table has another text, type or kind than JAX {version}")
    return lines


def wrong_rows(table: Table) -> list[str]:
    """Returns rows whose verdict is not complete, or whose test does not exist."""
    lines = []
    rows = list(table["sites"].items())
    rows += [(f"{row['function']}: {row['text']}", row) for row in table["unraised"]]
    for name, row in rows:
        verdict = row.get("verdict")
        if verdict == REPRODUCED:
            tests = row.get("tests") or [""]
            lines += [f"{name}: no such test: {test!r}" for test in tests if not is_a_test(test)]
        elif verdict == OUT_OF_SCOPE:
            if row.get("why") not in REASONS:
                lines.append(f"{name}: why is it out of scope? One of: {', '.join(REASONS)}")
        elif verdict != OPEN:
            lines.append(f"{name}: its verdict is {verdict!r}")
        elif row.get("why") or row.get("tests"):
            lines.append(f"{name}: open, yet it has a reason or a test")
    return lines


def is_a_test(test: str) -> bool:
    """Whether "FILE: Suite.Name" (C++) or "FILE::test_name" (Python) is there."""
    if "::" in test:
        file, name = test.split("::", 1)
        pattern = rf"^\s*def {re.escape(name)}\("
    else:
        file, _, name = test.partition(": ")
        suite, _, case = name.partition(".")
        pattern = rf"\bTEST(?:_[FP])?\(\s*{re.escape(suite)},\s*{re.escape(case)}\)"
    path = ROOT / file
    return path.is_file() and bool(re.search(pattern, path.read_text(encoding="utf-8"), re.M))


def take_in(table: Table, version: str, sites: list[Site]) -> None:
    """Adds the sites of one JAX: new ones as open, at their place; known ones get the version."""
    if version not in table["jax"]:
        table["jax"] = sorted([*table["jax"], version], key=version_key)
    rows = table["sites"]
    found = {site.id: site for site in sites}
    for name, row in rows.items():
        row["versions"] = [known for known in row["versions"] if known != version]
        if name in found:
            row["versions"] = sorted([*row["versions"], version], key=version_key)
    for site in sites:
        row = rows.setdefault(site.id, {"verdict": OPEN, "versions": [version]})
        newest = row["versions"][-1] == version
        if newest:
            for field in ("file", "function", "kind", "exception", "text"):
                row[field] = getattr(site, field)
    # By file, then as the newest JAX that has them; the names of old ones sort after it.
    order = {site.id: at for at, site in enumerate(sites)} if table["jax"][-1] == version else {}
    if order:
        last = len(order)
        names = sorted(rows, key=lambda name: (str(rows[name]["file"]), order.get(name, last)))
        table["sites"] = {name: rows[name] for name in names}


def version_key(version: str) -> tuple[int, ...]:
    """So that 0.10.2 comes after 0.9."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def render(table: Table) -> str:
    """Returns docs/jax-sites.md."""
    rows = [*table["sites"].values(), *table["unraised"]]
    parts = [_HEAD, _counts(table, rows), "## Why a site is out of scope\n\n"]
    out = Counter(str(row["why"]) for row in rows if row["verdict"] == OUT_OF_SCOPE)
    parts += ["| reason | sites | what it means |\n|---|---|---|\n"]
    parts += [f"| {reason} | {out[reason]} | {said} |\n" for reason, said in REASONS.items()]
    parts += ["\n## Without a raise statement\n\n", _UNRAISED]
    parts += [_columns(), *(_row(row, table["jax"]) for row in table["unraised"])]
    marked = [row | {"mark": mark_of(name, row)} for name, row in table["sites"].items()]
    for file in dict.fromkeys(str(row["file"]) for row in marked):
        of_file = [row for row in marked if row["file"] == file]
        parts += [f"\n## {file}\n\n", _columns()]
        parts += [_row(row, table["jax"]) for row in of_file]
    return "".join(parts)


def mark_of(name: str, row: Row) -> str:
    """The hash of a site without a text, by which `listing.py` names its condition."""
    return "" if row["text"] else name.rsplit("-", 1)[1]


_HEAD = """# Where JAX's interpret mode fails

Every place in `jax/_src/pallas/mosaic/interpret` and `jax/_src/pallas/mosaic_gpu/interpret` that
raises, asserts, prints or logs, and what replait makes of it. Made of `tests/jax/sites/sites.json`
by `tests/jax/sites/table.py docs`; a test holds it against the installed JAX, so that a new JAX
names what it added. What the texts mean stands in [errors.md](errors.md). A site without a text has
a mark, which `tests/jax/sites/listing.py` prints beside its line and condition.

- **reproduced**: replait raises the same text at the same event, in the test that is named.
- **out of scope**: no simulated op can reach it.
- **open**: not reproduced yet. A recording of real JAX still holds the text that JAX raised.

"""

_UNRAISED = """What Python or numpy raise under an op. No statement of JAX names them, so no listing
finds them: these rows are kept by hand.

"""


def _counts(table: Table, rows: list[Row]) -> str:
    lines = ["| | sites | reproduced | out of scope | open |\n|---|---|---|---|---|\n"]

    def line(name: str, some: list[Row]) -> str:
        found = Counter(str(row["verdict"]) for row in some)
        counts = " | ".join(str(found[verdict]) for verdict in (REPRODUCED, OUT_OF_SCOPE, OPEN))
        return f"| {name} | {len(some)} | {counts} |\n"

    for version in table["jax"]:
        of_version = [row for row in rows if version in row["versions"]]
        lines.append(line(f"JAX {version}", of_version))
    for name, folder in (("TPU", "mosaic/"), ("GPU", "mosaic_gpu/")):
        lines.append(
            line(f"{name}, any version", [r for r in rows if r["file"].startswith(folder)])
        )
    lines.append(line("**all**", rows))
    return "".join(lines) + "\n"


def _columns() -> str:
    return "| function | raises | text | rule | JAX | verdict |\n|---|---|---|---|---|---|\n"


def _row(row: Row, versions: list[str]) -> str:
    raises = str(row["exception"]) or {"raise": "(again)"}.get(str(row["kind"]), str(row["kind"]))
    if row.get("mark"):  # Tells apart what has no text.
        raises += f" `{row['mark']}`"
    text = str(row["text"]).replace("\n", "\\n")
    shown = f"`` {text} ``".replace("|", "\\|") if text else ""
    rule = f"`{row['rule']}`" if row.get("rule") else ""
    seen = "all" if row["versions"] == versions else ", ".join(row["versions"])
    verdict = str(row["verdict"])
    if verdict == REPRODUCED:
        verdict += ": " + ", ".join(f"`{test}`" for test in row["tests"])
    elif verdict == OUT_OF_SCOPE:
        verdict += f": {row['why']}"
    return f"| `{row['function']}` | {raises} | {shown} | {rule} | {seen} | {verdict} |\n"


def main() -> None:
    """Runs the verb that the command line names."""
    verb, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if verb == "update":
        table = load()
        pallas = Path(arguments[0]) if arguments else installed_pallas()
        version = arguments[1] if len(arguments) > 1 else installed_version()
        take_in(table, version, list_sites(pallas))
        save(table)
    elif verb == "docs":
        DOCS.write_text(render(load()), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
