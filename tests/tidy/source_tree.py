"""The files of the checkout, and C++ text with what the rules must not see taken out.

A rule is a function from a tree (path -> text) to the places that break it, so a test can run it on
the real tree and on one with a planted violation.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

Tree = dict[str, str]

LEFT_OUT = ("build", ".venv", ".cache", ".git/", ".replait", "subprojects/packagecache")


def list_files() -> list[str]:
    """Returns the paths of all files of the checkout, tracked or about to be."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        paths = set(listed.stdout.split("\n")) - {""}
    else:  # An unpacked archive.
        every = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())
        paths = {path for path in every if not path.startswith(LEFT_OUT)}
    return sorted(path for path in paths if (ROOT / path).is_file())


def read_tree() -> Tree:
    """Returns every text file of the checkout."""
    tree = {}
    for path in list_files():
        data = (ROOT / path).read_bytes()
        if b"\0" not in data:
            tree[path] = data.decode("utf-8")
    return tree


def is_cpp(path: str) -> bool:
    """Whether the file is C++ of ours."""
    return path.endswith((".h", ".cpp"))


def under(path: str, *folders: str) -> bool:
    """Whether the file lies in one of the folders."""
    return path.startswith(tuple(folder + "/" for folder in folders))


_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|"""
    r"""(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)


def code_only(text: str, keep_strings: bool = False) -> str:
    """Returns C++ text with comments (and string contents) blanked; lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        token = match.group()
        if token.startswith(("//", "/*")):
            return "\n" * token.count("\n")
        return token if keep_strings else '""' + "\n" * token.count("\n")

    return _TOKEN.sub(blank, text)


def matches(text: str, pattern: str) -> list[tuple[int, str]]:
    """Returns (line number, matched text) for each match."""
    return [
        (text.count("\n", 0, match.start()) + 1, match.group())
        for match in re.finditer(pattern, text, re.MULTILINE)
    ]


INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


def includes(text: str) -> list[str]:
    """Returns what a C++ file includes, in order."""
    return INCLUDE.findall(text)
