"""Completion as somebody at a shell gets it, and the man pages as `man` formats them.

Usage: completion_shells.py REPLAIT

Prints TAP. A shell or formatter that this machine lacks is skipped by name.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

SECONDS = 60.0  # For one answer, on a machine that is busy.
CLEAR_LINE = "\x15"
FILE = "my_trace.replait"


class Skip(Exception):
    """Why a check cannot run here."""


class Terminal:
    """A shell on a pseudo-terminal."""

    def __init__(self, command: list[str], folder: pathlib.Path, env: dict[str, str]):
        self._pid, self._file = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, env)

    def run(self, line: str) -> None:
        """Runs a line of the shell, and waits until it is done."""
        self.expect(f"{line}; echo do''ne\n", "done\r")

    def expect(self, keys: str, pattern: str) -> None:
        """Types the keys and waits until the shell shows the pattern."""
        os.write(self._file, keys.encode())
        shown, deadline = "", time.monotonic() + SECONDS
        while not re.search(pattern, shown):
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self._file], [], [], left)[0]:
                raise AssertionError(f"typed {keys!r}, expected {pattern!r}, got {shown!r}")
            shown += os.read(self._file, 65536).decode(errors="replace")

    def close(self) -> None:
        """Ends the shell."""
        os.close(self._file)
        os.waitpid(self._pid, 0)


class Checks:
    """The checks, over one program and a folder of our own."""

    def __init__(self, replait: pathlib.Path, folder: pathlib.Path):
        self._replait = replait
        self._folder = folder
        self._env = {
            "PATH": f"{replait.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
            "MANPATH": str(folder),
        }
        (folder / FILE).write_bytes(b"")

    def output(self, *command: str) -> str:
        """Returns what a command prints; it must succeed and complain of nothing."""
        done = subprocess.run(
            command, cwd=self._folder, env=self._env, capture_output=True, text=True
        )
        said = f"{' '.join(command)} exited {done.returncode} and said: {done.stderr}"
        assert done.returncode == 0 and not done.stderr, said
        return done.stdout

    def in_terminal(self, command: list[str], *setup: str) -> None:
        """Completes a few lines in an interactive shell."""
        terminal = Terminal([need(command[0]), *command[1:]], self._folder, self._env)
        try:
            for line in setup:
                terminal.run(line)
            terminal.expect("replait re\t\t", r"record\b[^\n]*\s+[^\n]*\brecover\b")
            for typed, rest in (
                ("replait repla", "replay"),
                ("replait record --val", "--values"),
                ("replait record --values fu", "full"),
                ("replait record ring-all", "ring-all-gather"),
                ("replait replay my_", FILE),
                ("replait check --rule memory.not-a-bu", "memory.not-a-buffer"),
                ("replait record -o my_", FILE),
                ("replait completion fi", "fish"),
            ):
                terminal.expect(CLEAR_LINE, "")
                terminal.expect(f"{typed}\t", re.escape(rest))
        finally:
            terminal.close()

    def bash(self) -> None:
        """Bash completes commands, options, values and files."""
        self.in_terminal(
            ["bash", "--norc", "--noprofile", "-i"], "source <(replait completion bash)"
        )

    def bash_after_equals(self) -> None:
        """Bash completes the value of --option=."""
        script = (
            "source <(replait completion bash); COMP_WORDS=(replait record --values = n);"
            'COMP_CWORD=4; _replait; echo "${COMPREPLY[@]}"'
        )
        assert self.output(need("bash"), "-c", script) == "none\n"

    def zsh(self) -> None:
        """Zsh completes the same."""
        self.in_terminal(
            ["zsh", "-f", "-i"],
            "autoload -Uz compinit && compinit -u -D",
            "source <(replait completion zsh)",
        )

    def fish(self) -> None:
        """Fish completes the same."""

        def words(line: str) -> list[str]:
            script = f"replait completion fish | source; complete -C '{line}'"
            shown = self.output(need("fish"), "--no-config", "-c", script)
            return [word.split("\t")[0] for word in shown.split("\n")]

        for line, expected in (
            ("replait re", "recover"),
            ("replait record --val", "--values"),
            ("replait record --values fu", "full"),
            ("replait record ring-all", "ring-all-gather"),
            ("replait replay my_", FILE),
            ("replait completion fi", "fish"),
        ):
            assert expected in words(line), f"{line}: {expected} is not among {words(line)}"
        assert FILE not in words("replait record --values ")

    def pages(self) -> list[pathlib.Path]:
        """Writes the man pages and returns them."""
        folder = self._folder / "man1"
        folder.mkdir(exist_ok=True)
        self.output("replait", "man-pages", str(folder))
        pages = sorted(folder.glob("*.1"))
        assert folder / "replait.1" in pages and folder / "replait-record.1" in pages
        return pages

    def groff(self) -> None:
        """Groff formats each page without a warning."""
        for page in self.pages():
            text = plain(self.output(need("groff"), "-man", "-ww", "-Tutf8", "-P-c", str(page)))
            assert "EXIT STATUS" in text, f"no EXIT STATUS in\n{text}"

    def mandoc(self) -> None:
        """Mandoc finds nothing to warn of, but that our pages have no date."""
        for page in self.pages():
            command = [need("mandoc"), "-T", "lint", "-W", "warning", str(page)]
            lint = subprocess.run(command, capture_output=True, text=True).stdout
            lines = [line for line in lint.split("\n") if line and "missing date" not in line]
            assert not lines, "\n".join(lines)

    def man(self) -> None:
        """Man shows a page with its name, options and examples."""
        (page,) = [page for page in self.pages() if page.name == "replait-record.1"]
        text = plain(self.output(need("man"), "-l", str(page)))
        for part in ("replait-record", "--values", "EXAMPLES", "SEE ALSO", "-o, --output FILE"):
            assert part in text, f"no {part} in\n{text}"


def plain(text: str) -> str:
    """Returns text without the strikes over one another that make it bold."""
    return re.sub(".\b", "", text)


def need(program: str) -> str:
    """Returns the path of a program."""
    path = shutil.which(program)
    if path is None:
        raise Skip(f"{program} is not installed")
    return path


def outcome(check: Callable[[], None], number: int) -> str:
    """Returns the line of TAP that says how a check went."""
    name = f"{number} - {(check.__doc__ or '').strip()}"
    try:
        check()
    except Skip as reason:
        return f"ok {name} # SKIP {reason}"
    except (AssertionError, OSError) as failure:
        return f"not ok {name}\n# " + str(failure).replace("\n", "\n# ")
    return f"ok {name}"


def main() -> None:
    """Runs all checks."""
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(folder))
        all_checks = (
            checks.bash,
            checks.bash_after_equals,
            checks.zsh,
            checks.fish,
            checks.groff,
            checks.mandoc,
            checks.man,
        )
        print(f"1..{len(all_checks)}", flush=True)
        for number, check in enumerate(all_checks, 1):
            print(outcome(check, number), flush=True)


if __name__ == "__main__":
    main()
