"""Builds the shared library with meson and ships it inside the package; everything else is in pyproject.toml.

The C sources are those of the source tree that contains this folder; a source distribution contains a copy (csrc).
NONSENS_BUILD_DIR names an existing build folder of meson, which is used instead of a new one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
# Options of meson.build that leave out tests and MPI.
SOURCES = (
    "meson.build",
    "meson_options.txt",
    "LICENSE",
    "include",
    "src",
    "cli",
    "experiments",
    "tools",
    "python/meson.build",
)


def source_root():
    """Returns the folder with meson.build."""
    for folder in (HERE / "csrc", HERE.parent):
        if (folder / "meson.build").exists() and (folder / "include" / "nonsens" / "nonsens.h").exists():
            return folder
    sys.exit("setup.py: the C sources are not there; install from the source tree, or from a source distribution")


def run(*command):
    print(" ".join(command), flush=True)
    try:
        subprocess.run(command, check=True, stdout=sys.stderr)
    except FileNotFoundError:
        sys.exit("setup.py: %s is missing; on Debian: apt install meson ninja-build" % command[0])


def build_library(folder):
    """Builds only the shared library in this folder, without tests and program; returns its path."""
    if not (folder / "build.ninja").exists():
        run("meson", "setup", str(folder), str(source_root()), "-Dtests=false", "-Dmpi=disabled", "-Dpython=disabled")
    run("meson", "compile", "-C", str(folder), "nonsens:shared_library")
    return folder / "src" / "libnonsens.so"


class BuildWithLibrary(build_py):
    """Puts the library next to the modules."""

    def run(self):
        super().run()
        given = os.environ.get("NONSENS_BUILD_DIR")
        made = self.get_finalized_command("build").build_temp
        library = build_library(Path(given).resolve() if given else Path(made).resolve() / "meson")
        if not getattr(self, "editable_mode", False):  # an editable install uses the library that `make` built
            shutil.copyfile(library, Path(self.build_lib) / "nonsens" / "libnonsens.so")


class SdistWithSources(sdist):
    """Adds the C sources."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in SOURCES:
            source, target = source_root() / name, Path(base_dir) / "csrc" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
            else:
                shutil.copyfile(source, target)


class Wheel(bdist_wheel):
    """Works with any Python 3, but only on this system: the library is called by ctypes, not linked against Python."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    """Installs into the platform-dependent folder."""

    def has_ext_modules(self):
        return True


setup(
    distclass=WithLibrary,
    cmdclass={"build_py": BuildWithLibrary, "sdist": SdistWithSources, "bdist_wheel": Wheel},
)
