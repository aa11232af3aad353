"""Counts the cases of a JUnit XML file: `count_cases.py FILE EXIT-STATUS`.

Prints "passed failed skipped", then one line for each case that failed or was skipped. A runner
that failed without a failing case (a build that broke, a crash, a timeout) counts as one failure,
and so does one that ran nothing.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count(file: Path, status: int) -> tuple[list[int], list[str]]:
    """Returns [passed, failed, skipped] and the lines that name what did not pass."""
    counts = [0, 0, 0]
    lines = []
    try:
        cases = list(ElementTree.parse(file).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        cases = []
    for case in cases:
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            counts[1] += 1
            lines.append(f"   FAILED {name}")
        elif skip is not None or case.get("status") == "notrun":
            counts[2] += 1
            reason = skip.get("message") if skip is not None else "disabled"
            lines.append(f"   skipped {name}: {reason or 'no reason given'}")
        else:
            counts[0] += 1
    if counts[0] + counts[1] == 0:
        counts[1] = 1
        lines.append(f"   FAILED: no test ran (exit status {status})")
    elif status != 0 and counts[1] == 0:
        counts[1] = 1
        lines.append(f"   FAILED: the runner ended with exit status {status}")
    return counts, lines


if __name__ == "__main__":
    totals, named = count(Path(sys.argv[1]), int(sys.argv[2]))
    print(*totals)
    for line in named:
        print(line)
