"""What the tests share.  NONSENS_TEST_PROGRAM and NONSENS_TEST_BUILD are set by tests/run."""

import importlib
import json
import os
import subprocess
from pathlib import Path

import numpy
import pytest

import nonsens

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("NONSENS_TEST_PROGRAM", str(ROOT / "build" / "nonsens"))


def need(name):
    """Imports a package, or skips the test; if NONSENS_REQUIRE_PYTHON is set, the package must be there."""
    if os.environ.get("NONSENS_REQUIRE_PYTHON"):
        return importlib.import_module(name)
    return pytest.importorskip(name)


def run_program(*words, code=0):
    """Returns the standard output of the program."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stdout


def comparable(document):
    """Returns a result without what may differ between equal runs."""
    found = json.loads(document)
    del found["seconds"], found["nonsens"]["threads"]
    found["nonsens"].pop("command", None)
    return found


def write_csv(path, names, X, segments=None, label="segment"):
    """Writes every double as Python prints it, so that it reads back as the same value."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(list(names) + ([label] if segments is not None else [])) + "\n")
        for i, row in enumerate(numpy.asarray(X).tolist()):
            cells = ["" if value != value else repr(value) for value in row]
            file.write(",".join(cells + ([str(segments[i])] if segments is not None else [])) + "\n")
    return path


@pytest.fixture(scope="session")
def pair():
    """A pair x2 -> x1."""
    return nonsens.simulate(depth=2, per_segment=150, segments=6, random_state=3)


@pytest.fixture(scope="session")
def four():
    """Four variables, few rows."""
    return nonsens.simulate(sem="node", nodes=4, depth=2, per_segment=40, segments=10, random_state=3)
