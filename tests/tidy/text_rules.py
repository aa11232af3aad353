"""What may not stand in the text of a file: long functions, banned calls, places of one machine."""

import ast
import re

from source_tree import Tree, code_only, is_cpp, matches, under

HEADER_LINES_MAX = 200
SOURCE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70


def long_files(tree: Tree) -> list[str]:
    """Headers up to 200 lines, sources and scripts up to 400."""
    found = []
    for path, text in tree.items():
        if not path.endswith((".h", ".cpp", ".py", ".sh", ".build", ".proto")) and path != "dev":
            continue
        lines = text.count("\n")
        allowed = HEADER_LINES_MAX if path.endswith(".h") else SOURCE_LINES_MAX
        if lines > allowed:
            found.append(f"{path}: {lines} lines, at most {allowed}")
    return found


# What stands before the brace of something that is no function.
_NO_FUNCTION = re.compile(r"^(?:.*\s)?(?:namespace|class|struct|union|enum|extern)\b(?!.*\)\s*$)")
_INITIALISER = re.compile(r"(?<![=!<>+\-*/%&|^])=(?!=)")


def cpp_functions(text: str) -> list[tuple[int, int]]:
    """Returns (first line, length) of each outermost function in clang-formatted C++."""
    code = re.sub(r"^\s*#.*(?:\\\n.*)*", "", code_only(text), flags=re.MULTILINE)
    code = re.sub(r"\[\[[\w:, ]*\]\]", "", code)
    found = []
    depth, inside, head_begin, first_line = 0, None, 0, 0
    for match in re.finditer(r"[{};]", code):
        at = match.start()
        if match.group() == "{":
            if inside is None:
                head = code[head_begin:at]
                flat = " ".join(head.split())
                is_function = "(" in flat and not _NO_FUNCTION.match(flat)
                has_value = "operator" not in flat and _INITIALISER.search(
                    re.sub(r"\([^()]*\)", "", flat.split("(")[0])
                )
                if is_function and not has_value:
                    inside = depth
                    first_line = code.count("\n", 0, at - len(head.lstrip())) + 1
                elif has_value or (flat and not _NO_FUNCTION.match(flat)):
                    inside, first_line = depth, 0
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if inside == depth:
                inside = None
                if first_line:
                    found.append((first_line, code.count("\n", 0, at) + 2 - first_line))
        if inside is None:
            head_begin = at + 1
    return found


def long_functions(tree: Tree) -> list[str]:
    """Functions up to 70 lines, in C++ and Python."""
    found = []
    for path, text in tree.items():
        if is_cpp(path):
            functions = cpp_functions(text)
        elif path.endswith(".py"):
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
            nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
            functions = [(node.lineno, node.end_lineno - node.lineno + 1) for node in nodes]
        else:
            continue
        found += [
            f"{path}:{line}: a function of {length} lines, at most {FUNCTION_LINES_MAX}"
            for line, length in functions
            if length > FUNCTION_LINES_MAX
        ]
    return found


# Pattern -> why, and the files that may. All of src, include and replay otherwise.
BANNED = (
    (
        r"\bs?rand\(|\brandom_device\b|\b\w+_distribution\b|\bmt19937|\bdefault_random_engine\b",
        "draws come from base/rng.h",
        (),
    ),
    (
        r"\b(?:system|steady|high_resolution|utc|file)_clock\b|\bclock_gettime\(|\bgettimeofday\(|"
        r"\bstd::(?:time|clock|localtime|gmtime)\(|(?<![\w.>:])time\((?:nullptr|NULL|0|&)",
        "nothing recorded or printed may depend on time",
        ("environment", "replay/progress"),
    ),
    (r"\bstd::j?thread\b|\bstd::async\b|\bpthread_create\(", "one thread drives an execution", ()),
    (r"\bassert\(", "REPLAIT_CHECK also holds in a release build", ()),
    (r"\bstd::(?:format|expected|print)\b", "the compilers of Debian 12 lack it", ()),
    (r"\bdefault\s*:", "name every enumerator, so that the compiler finds a missing case", ()),
    (r"\bstd::hash<[^<>]*\*>|\bfmt::ptr\(", "addresses differ between runs", ()),
)
BANNED_IN_STRINGS = ((r"%p\b", "addresses differ between runs"),)


def banned_calls(tree: Tree) -> list[str]:
    """What would make a run depend on more than kernel, seed, scheduler and options."""
    found = []
    for path, text in tree.items():
        if not (is_cpp(path) and under(path, "src", "include", "replay")):
            continue
        code, with_strings = code_only(text), code_only(text, keep_strings=True)
        for pattern, why, allowed in BANNED:
            if not any(part in path for part in allowed):
                found += [f"{path}:{line}: {hit}: {why}" for line, hit in matches(code, pattern)]
        for pattern, why in BANNED_IN_STRINGS:
            hits = matches(with_strings, pattern)
            found += [f"{path}:{line}: {hit}: {why}" for line, hit in hits]
    return found


_UNORDERED = re.compile(r"\bunordered_\w+\s*<[^;(){}]*>[&\s]+(\w+)\s*[;={(,)]")


def unordered_iteration(tree: Tree) -> list[str]:
    """No loop over a hash table: its order differs between standard libraries and runs."""
    found = []
    for path, text in tree.items():
        if not (is_cpp(path) and under(path, "src", "include", "replay")):
            continue
        code = code_only(text)
        header = code_only(tree.get(re.sub(r"\.cpp$", ".h", path), ""))
        names = set(_UNORDERED.findall(code)) | set(_UNORDERED.findall(header))
        for name in sorted(names):
            loops = rf"\bfor\s*\([^;{{}}]*:\s*[\w.>()*-]*\b{name}\)|\b{name}(?:\.|->)c?begin\("
            found += [
                f"{path}:{line}: iterates over the hash table {name}"
                for line, _ in matches(code, loops)
            ]
    return found


def _joined(*parts: str) -> str:
    return "".join(parts)  # So that this file does not hold what it looks for.


FOREIGN = (
    (_joined("/wo", r"rk/|/ro", r"ot/|/tmp/ve", r"nvs|\.\./sha", "red/"), "a path of one machine"),
    (_joined(r"\b(?:TO", r"DO|FIX", r"ME|XX", r"X)\b"), "say it in an issue or do it"),
    (
        _joined(
            r"(?i)\b(?:clau",
            r"de|anthro",
            r"pic|chatg",
            r"pt|sub-?ag",
            r"ent|language mod",
            r"el|co-auth",
            r"ored-by)\b",
        ),
        "the repository speaks of itself alone",
    ),
    (_joined(r"(?i)\bissue", r" #?\d+\b"), "an issue's number means nothing to a reader"),
)


def foreign_words(tree: Tree) -> list[str]:
    """Nothing of the machine or the circumstances in which the files were written."""
    found = []
    for path, text in tree.items():
        if path in ("LICENSE",) or under(path, "traces"):
            continue
        for pattern, why in FOREIGN:
            found += [f"{path}:{line}: {hit!r}: {why}" for line, hit in matches(text, pattern)]
    return found


def headers_without_idea(tree: Tree) -> list[str]:
    """A header opens with its idea and is included once."""
    found = []
    for path, text in tree.items():
        if path.endswith(".h") and not text.startswith("// "):
            found.append(f"{path}: does not open with a comment that says its idea")
        if path.endswith(".h") and len(re.findall(r"^#pragma once$", text, re.MULTILINE)) != 1:
            found.append(f"{path}: has no #pragma once")
    return found


def disabled_tests(tree: Tree) -> list[str]:
    """A test that does not run is no test."""
    pattern = r"\bDISABLED_\w+|pytest\.mark\.skip\b|\bxfail\b"
    return [
        f"{path}:{line}: {hit}"
        for path, text in tree.items()
        if under(path, "tests") and not under(path, "tests/tidy")
        for line, hit in matches(text, pattern)
    ]
