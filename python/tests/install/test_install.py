"""Installs the package: by pip without network, from a source distribution, by `make install`.

The library comes from the existing build folder (NONSENS_BUILD_DIR), so that nothing is compiled twice.  Whether pip's
own build could make it is checked with meson, without compiling.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = os.environ.get("NONSENS_TEST_BUILD", str(ROOT / "build"))
ASK = """
import sys, nonsens
data = nonsens.simulate(per_segment=50, random_state=3)
print(nonsens.__file__)
print(nonsens.independence(data.X, data.segments, test="fisher-z").to_dict()["p_value"])
"""
OUR_VARIABLES = ("PYTHONPATH", "NONSENS_LIBRARY", "NONSENS_BUILD_DIR")


def run(*words, **more):
    environment = {name: value for name, value in os.environ.items() if name not in OUR_VARIABLES}
    environment.update(more.pop("env", {}))
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=environment, timeout=550, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Copies the folder, so that no files are left in the source tree."""
    copy = tmp_path_factory.mktemp("tree") / "python"
    shutil.copytree(ROOT / "python", copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "*.so"))
    return copy


def test_pip(sources, tmp_path):
    """Installs in a virtual environment with system site packages, and imports from another folder."""
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    pip = [tmp_path / "venv/bin/pip", "install", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    run(*pip, sources, env={"NONSENS_BUILD_DIR": BUILD})
    place, p_value = run(tmp_path / "venv/bin/python", "-c", ASK, cwd=tmp_path).splitlines()
    assert place.startswith(str(tmp_path / "venv"))
    assert (Path(place).parent / "libnonsens.so").exists() and (Path(place).parent / "py.typed").exists()
    tree = run(sys.executable, "-c", ASK, cwd=tmp_path, env={"PYTHONPATH": str(ROOT / "python")}).splitlines()
    assert tree[1] == p_value


def test_wheel(sources, tmp_path):
    """One wheel serves every Python 3 of this system, and claims no other system."""
    command = [sys.executable, "setup.py", "-q", "bdist_wheel", "-d", tmp_path, "-b", tmp_path / "b"]
    run(*command, cwd=sources, env={"NONSENS_BUILD_DIR": BUILD})
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith("nonsens-0.2.0-py3-none-linux_")
    names = zipfile.ZipFile(wheel).namelist()
    assert "nonsens/libnonsens.so" in names and "nonsens/__init__.py" in names
    assert not [name for name in names if name.startswith("tests")]


def test_source_distribution(tmp_path):
    """It contains the C sources, and meson finds everything in them that the library needs."""
    run(sys.executable, "setup.py", "-q", "egg_info", "-e", tmp_path, "sdist", "-d", tmp_path, cwd=ROOT / "python")
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path)
    csrc = tmp_path / "nonsens-0.2.0" / "csrc"
    assert (csrc / "include/nonsens/nonsens.h").exists() and (tmp_path / "nonsens-0.2.0/setup.py").exists()
    disabled = ["-Dtests=false", "-Dmpi=disabled", "-Dpython=disabled"]
    run("meson", "setup", tmp_path / "made", csrc, *disabled)
    plan = run("ninja", "-C", tmp_path / "made", "-n", "src/libnonsens.so.0.2.0")
    assert "libnonsens.so.0.2.0" in plan


def test_make_install(tmp_path):
    """`make install` puts the package where Debian's Python looks for it, and tells it where the library is."""
    run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", tmp_path, "--quiet")
    (package,) = tmp_path.glob("**/nonsens/__init__.py")
    assert package.parent.parent.name in ("dist-packages", "site-packages")
    told = {}
    exec((package.parent / "_installed.py").read_text(), told)
    library = Path(str(tmp_path) + told["LIBRARY"])
    assert library.exists()
    assert not (package.parent / "__pycache__").exists()
    outside = str(Path("/") / package.parent.parent.relative_to(tmp_path))
    debian = run(sys.executable, "-I", "-c", "import sys; print(sys.path)")
    assert outside in debian or not outside.startswith("/usr")
    variables = {"PYTHONPATH": str(package.parent.parent), "NONSENS_LIBRARY": str(library)}
    assert run(sys.executable, "-c", ASK, cwd=tmp_path, env=variables).startswith(str(tmp_path))


def test_no_library(tmp_path):
    """Without a library, the message says what to do."""
    shutil.copytree(ROOT / "python" / "nonsens", tmp_path / "nonsens", ignore=shutil.ignore_patterns("*.so"))
    done = subprocess.run(
        [sys.executable, "-c", "import nonsens"],
        cwd=tmp_path,
        env={"NONSENS_LIBRARY": "/nowhere/libnonsens.so"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "run `make` in the source tree" in done.stderr and "/nowhere/" in done.stderr
