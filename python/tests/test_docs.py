"""Runs every example in docstrings and in docs/python.md; every public object has a docstring and types."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, need

import nonsens
from nonsens import _library

MODULES = ["nonsens"] + ["nonsens." + found.name for found in pkgutil.iter_modules(nonsens.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    need("pandas")
    done = doctest.testmod(importlib.import_module(name))
    assert done.failed == 0


def test_every_function_has_an_example():
    names = "direction directions discover explain effect ica independence diagnose simulate compare NonSENS"
    for name in names.split():
        assert ">>> " in getattr(nonsens, name).__doc__, name


def public_members():
    for name in sorted(set(nonsens.__all__) | {name for name in dir(nonsens) if not name.startswith("_")}):
        thing = getattr(nonsens, name)
        yield name, thing
        if inspect.isclass(thing) and thing.__module__.startswith("nonsens"):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                    yield "%s.%s" % (name, member), getattr(value, "__func__", value)


def test_every_public_thing_is_documented():
    bare = [name for name, thing in public_members() if name != "__version__" and not inspect.getdoc(thing)]
    assert bare == []


def test_every_public_function_is_typed():
    for name, thing in public_members():
        function = thing.fget if isinstance(thing, property) else thing
        if inspect.isfunction(function):
            signature = inspect.signature(function)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in signature.parameters.values():
                assert parameter.name in ("self", "cls") or parameter.annotation is not inspect.Parameter.empty, name
    assert (Path(nonsens.__file__).parent / "py.typed").exists()


def test_types(tmp_path):
    need("mypy")
    words = ["--strict", "--cache-dir", str(tmp_path), "--ignore-missing-imports", "--no-warn-unused-ignores"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, "nonsens"], cwd=ROOT / "python", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_of_a_program(tmp_path):
    """Checks a typed program that uses the whole public interface, with every public name."""
    need("mypy")
    program = Path(__file__).with_name("typed.py")
    words = ["--strict", "--cache-dir", str(tmp_path), "--ignore-missing-imports", "--no-warn-unused-ignores"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, str(program)],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    used = program.read_text(encoding="utf-8")
    names = {name for name in dir(nonsens) if not name.startswith("_")} - {"DataWarning", "DiagnoseResult", "IcaResult"}
    assert [name for name in sorted(names) if not re.search(r"\b%s\b" % name, used)] == []


def blocks(text):
    """Returns the Python examples of a page, in order."""
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_guide(tmp_path):
    """Runs docs/python.md from top to bottom as one session; what is printed must be as shown there."""
    for name in ("pandas", "networkx", "matplotlib"):
        need(name)
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    examples = blocks(page)
    assert len(examples) >= 6
    session = doctest.DocTestParser().get_doctest("\n".join(examples), {}, "docs/python.md", "docs/python.md", 0)
    assert len(session.examples) >= 20
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        runner.run(session)
    finally:
        os.chdir(before)
    assert runner.failures == 0


def test_one_version():
    """The library, the package, and the build files have one version."""
    assert "version: '%s'" % nonsens.__version__ in (ROOT / "meson.build").read_text()
    assert 'version = "%s"' % nonsens.__version__ in (ROOT / "python" / "pyproject.toml").read_text()


def test_header_is_bound():
    """Functions that the package declares are in the header, with the same number of arguments."""
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "include/nonsens/nonsens.h").read_text(), flags=re.DOTALL)
    for name, (_, arguments) in _library._PROTOTYPES.items():
        declared = re.search(r"NONSENS_API[^;]*?\b%s\(([^;]*)\);" % name, header)
        assert declared, name
        inside = declared.group(1).strip()
        assert (0 if inside == "void" else inside.count(",") + 1) == len(arguments), name
    structs = {"nonsens_option_info": _library.OptionInfo, "nonsens_method_info": _library.MethodInfo}
    structs["nonsens_column"] = _library.Column
    for name, ours in structs.items():
        body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), header, re.DOTALL).group(1)
        fields = [re.sub(r".*[\s*]", "", part.strip()) for part in re.split("[;,]", body) if part.strip()]
        assert fields == [field for field, *_ in ours._fields_], name


def test_lines_and_files_are_short():
    for path in sorted((ROOT / "python").glob("**/*.py")):
        if "build" in path.relative_to(ROOT).parts:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 600 and max(map(len, lines), default=0) <= 120, path
