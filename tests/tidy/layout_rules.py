"""Which module may include which, where each library's headers belong, and files nobody uses."""

import re
from pathlib import PurePosixPath

from source_tree import Tree, includes, is_cpp, under

# Module -> what it may include besides itself.
MODULES = {
    "base": set(),
    "clock": {"base"},
    "fiber": {"base"},
    "trace": {"base"},
    "model": {"trace", "base"},
    "sched": {"trace", "base"},
    "sim": {"model", "sched", "fiber", "trace", "base"},
    "race": {"clock", "trace", "base"},
    "check": {"clock", "trace", "base"},
    "explore": {"sim", "race", "check", "sched", "trace", "base"},
    "report": {"race", "check", "trace", "base"},
}

# Modules that stand on the public headers; the others are below them.
KNOW_PUBLIC_HEADERS = {"sim", "explore"}

# Header -> folders it may be included in, and in how many files of src/ at most.
THIRD_PARTY = (
    (r"boost/", ("src/fiber", "bench"), 1),
    (r"google/protobuf/|trace\.pb\.h|.*/trace\.pb\.h", ("src/trace", "tests", "bench"), None),
    (r"zstd\w*\.h|xxhash\.h|xxh3\.h", ("src/trace", "tests", "bench"), None),
    (r"nlohmann/", ("src/report", "tests", "bench"), 1),
    (r"archive\w*\.h", ("src/report",), 1),
    (r"CLI/", ("replay",), None),
    (r"pybind11/|Python\.h", ("python",), None),
    (r"gtest/|gmock/|rapidcheck", ("tests",), None),
    (r"benchmark/", ("bench",), None),
    (r"sanitizer/", ("src/fiber", "tests"), None),
)


def wrong_modules(tree: Tree) -> list[str]:
    """A module of src/ includes only itself and what the table lets it."""
    found = []
    for path, text in tree.items():
        if not (is_cpp(path) and under(path, "src", "include")):
            continue
        parts = PurePosixPath(path).parts
        module = parts[1] if parts[0] == "src" else "sim"
        if module not in MODULES:
            found.append(f"{path}: src/{module} is not in the table of modules")
            continue
        for header in includes(text):
            first = header.split("/")[0]
            if first in MODULES:
                wrong = first != module and first not in MODULES[module]
            else:
                is_public = first == "replait"
                wrong = first == "replay" or (is_public and module not in KNOW_PUBLIC_HEADERS)
            if wrong:
                found.append(f"{path}: {module} must not include {header}")
    return found


def wrong_libraries(tree: Tree) -> list[str]:
    """A library's headers are included only where the design has a place for them."""
    found = []
    for pattern, folders, files_max in THIRD_PARTY:
        users = [
            (path, header)
            for path, text in tree.items()
            if is_cpp(path)
            for header in includes(text)
            if re.match(pattern, header)
        ]
        found += [
            f"{path}: {header} belongs in {', '.join(folders)}"
            for path, header in users
            if not under(path, *folders)
        ]
        found += [
            f"{path}: {header} belongs in a .cpp file, so that no other file depends on it"
            for path, header in users
            if path.endswith(".h") and under(path, "src") and not header.startswith("sanitizer/")
        ]
        in_src = sorted({path for path, _ in users if under(path, "src")})
        if files_max is not None and len(in_src) > files_max:
            found.append(f"{pattern} is included in {len(in_src)} files: {', '.join(in_src)}")
    return found


def dead_files(tree: Tree) -> list[str]:
    """Every .cpp is listed in a meson.build at or above it, every .h is included elsewhere."""
    found = []
    included = {
        PurePosixPath(header).name
        for path, text in tree.items()
        if is_cpp(path)
        for header in includes(text)
        if PurePosixPath(header).name != PurePosixPath(path).name or not path.endswith(".h")
    }
    for path in filter(is_cpp, tree):
        file = PurePosixPath(path)
        if path.endswith(".h"):
            if file.name not in included and not under(path, "include"):
                found.append(f"{path}: no file includes it")
            continue
        builds = ((folder, tree.get(f"{folder}/meson.build", "")) for folder in file.parents)
        if not any(f"'{file.relative_to(folder)}'" in text for folder, text in builds):
            found.append(f"{path}: no meson.build lists it")
    for path in tree:
        if path.endswith("meson.build") and path != "meson.build":
            folder = PurePosixPath(path).parent
            parent = tree.get(f"{folder.parent}/meson.build", tree.get("meson.build", ""))
            names = (f"'{folder.name}'", f"'{folder}'")
            if not any(name in text for name in names for text in (parent, tree["meson.build"])):
                found.append(f"{path}: no subdir() leads to it")
    return found


SAMPLE = re.compile(r'\{\.name = "([^"]+)",\s*\.summary = (.*?)(?=\.body\b)', re.DOTALL)
_EXPECTED = re.compile(r'\.expected = "(?:clean|[a-z]+\.[a-z-]+(?: \w+)?)"')


def samples_without_expectation(tree: Tree) -> list[str]:
    """Every sample kernel says what it shows: "clean", or a rule id and the type of its error."""
    found, names = [], []
    for path, text in tree.items():
        if not (path.endswith(".cpp") and under(path, "examples/cpp")):
            continue
        for name, fields in SAMPLE.findall(text):
            names.append(name)
            if not _EXPECTED.search(fields):
                found.append(f"{path}: {name} has no expectation")
    found += [
        f"two samples are called {name}" for name in sorted(set(names)) if names.count(name) > 1
    ]
    return found
