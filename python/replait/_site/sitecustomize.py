"""Gets the recorder into a program that `replait record -- PROGRAM` starts.

Python imports the first `sitecustomize` on its path. This one runs the one that it hides, if there
is one, as if it had been found itself; then it asks whether to record. It must never keep a program
from starting.
"""

import os
import sys


def _run_hidden() -> None:
    """Runs the next sitecustomize on the path."""
    import importlib.machinery
    import importlib.util

    own = os.path.dirname(os.path.abspath(__file__))
    rest = [folder for folder in sys.path if os.path.abspath(folder or ".") != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _watch() -> None:
    try:
        from replait._program import watch_if_asked

        watch_if_asked()
    except Exception as error:
        print(f"replait: the program runs unrecorded: {error}", file=sys.stderr)


_run_hidden()
_watch()
