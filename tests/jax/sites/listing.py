"""Lists from an installed JAX the places of its interpret mode that raise, assert, print or log.

A place is a `Site`. Its id stays the same while lines move: the function, the kind, and a hash of
the text (with {} for what is filled in) or of the condition; a second one like it in the same
function gets `~2`. Only sources are read: JAX is not imported.
"""

import ast
import hashlib
import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("mosaic/interpret", "mosaic_gpu/interpret")
LOGGERS = ("logging", "logger")


@dataclass(frozen=True)
class Site:
    """One statement that can end or report an op."""

    id: str
    file: str  # Below jax/_src/pallas.
    function: str  # Qualified: "SharedMemory.get_buffer_content"; "" at module level.
    kind: str  # raise, assert, print, log.
    exception: str  # Of raise and assert: "ValueError"; "" for what is raised again.
    text: str  # The message, {} where something is filled in; "" where there is none.
    line: int  # Today's, for people; no part of the id.
    condition: str  # Of an assert.


def installed_pallas() -> Path:
    """Returns the folder jax/_src/pallas of the JAX of this Python.

    Raises ModuleNotFoundError where there is none.
    """
    spec = importlib.util.find_spec("jax")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("no JAX is installed for this Python")
    return Path(spec.submodule_search_locations[0]) / "_src" / "pallas"


def installed_version() -> str:
    """Returns the version of the JAX of this Python."""
    return importlib.metadata.version("jax")


def list_sites(pallas: Path) -> list[Site]:
    """Returns every site, in the order of files and lines."""
    sites = []
    for folder in FOLDERS:
        for path in sorted((pallas / folder).glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            sites += _with_ids(_Lister(path.relative_to(pallas).as_posix()).sites_of(tree))
    return sites


def without_names(text: str) -> str:
    """The template with bare {}: what fills a place has another name in another JAX."""
    return re.sub(r"\{[^{}]*\}", "{}", text)


def _with_ids(sites: list[Site]) -> Iterator[Site]:
    seen: dict[str, int] = {}
    for site in sites:
        said = f"{site.exception}|{without_names(site.text)}|{site.condition}"
        digest = hashlib.sha256(said.encode()).hexdigest()[:6]
        place = site.file.removesuffix(".py").replace("/interpret/", "/").replace("/", ".")
        name = f"{place}:{site.function or '(module)'}:{site.kind}-{digest}"
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name += f"~{seen[name]}"
        yield Site(name, *(getattr(site, field) for field in _FIELDS))


_FIELDS = ("file", "function", "kind", "exception", "text", "line", "condition")


class _Lister(ast.NodeVisitor):
    """Collects the sites of one file, knowing which function it is in."""

    def __init__(self, file: str):
        self._file = file
        self._names: list[str] = []
        self._strings: list[dict[str, ast.expr]] = [{}]
        self._found: list[Site] = []

    def sites_of(self, tree: ast.Module) -> list[Site]:
        self.visit(tree)
        return self._found

    def _enter(self, node: ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) -> None:
        self._names.append(node.name)
        self._strings.append({})
        self.generic_visit(node)
        self._strings.pop()
        self._names.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _enter

    def visit_Assign(self, node: ast.Assign) -> None:
        # `msg = f"..."` before `raise RuntimeError(msg)`.
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._strings[-1][node.targets[0].id] = node.value
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        raised, text = node.exc, ""
        if isinstance(raised, ast.Call):
            text = self._text(raised.args[0]) if raised.args else ""
            raised = raised.func
        is_class = isinstance(raised, ast.Name | ast.Attribute)
        exception = ast.unparse(raised) if is_class else ""
        self._add(node, "raise", exception, text)
        self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        text = self._text(node.msg) if node.msg is not None else ""
        self._add(node, "assert", "AssertionError", text, ast.unparse(node.test))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        text = self._text(node.args[0]) if node.args else ""
        if isinstance(called, ast.Name) and called.id == "print":
            self._add(node, "print", "", text)
        elif (
            isinstance(called, ast.Attribute)
            and isinstance(called.value, ast.Name)
            and called.value.id in LOGGERS
            and called.attr in ("debug", "info", "warning", "error", "exception")
        ):
            self._add(node, "log", "", text)
        self.generic_visit(node)

    def _add(
        self, node: ast.AST, kind: str, exception: str, text: str, condition: str = ""
    ) -> None:
        function = ".".join(self._names)
        line = node.lineno
        self._found.append(
            Site("", self._file, function, kind, exception, text, line, " ".join(condition.split()))
        )

    def _text(self, node: ast.expr) -> str:
        """The message as a template, {name} where the program fills in a value."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.JoinedStr):
            return "".join(self._text(part) for part in node.values)
        if isinstance(node, ast.FormattedValue):
            return "{" + _short(node.value) + "}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._text(node.left) + self._text(node.right)
        if isinstance(node, ast.Name):
            for strings in reversed(self._strings):
                if node.id in strings:
                    value = strings[node.id]
                    return self._text(value) if not isinstance(value, ast.Name) else "{}"
        return "{" + _short(node) + "}"


def _short(node: ast.expr) -> str:
    """A name for what a message fills in: the last word of it."""
    words = [part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)]
    if not words:
        return ""
    word = words[0]
    return word.attr if isinstance(word, ast.Attribute) else word.id


def main() -> None:
    """Prints the sites of the JAX of this Python, or of the pallas folder that is given."""
    pallas = Path(sys.argv[1]) if len(sys.argv) > 1 else installed_pallas()
    for site in list_sites(pallas):
        what = site.text.replace("\n", "\\n") or site.condition
        print(f"{site.file}:{site.line}\t{site.id}\t{site.exception}\t{what}")


if __name__ == "__main__":
    main()
