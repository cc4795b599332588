"""Calls the library: a context per call, a separate thread for long runs, Ctrl-C, texts from writers.

A long run has its own thread while the calling thread waits: Python sees a signal only between its own instructions,
and only the waiting thread can act on it.  The GIL is not held meanwhile.  The memory and threads that OpenMP keeps for
the thread end with it, so that the process can fork afterwards.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
import weakref
from ctypes import c_void_p
from typing import Any, Callable, List, Optional, Tuple

from . import _library as c
from ._errors import exception_for
from ._progress import Progress, quiet

_LOOK_SECONDS = 0.1  # how often the waiting thread redraws the progress
_CANCEL_SECONDS = 0.02


class Kept:
    """An object of the library that outlives the call that made it, and is freed with this object."""

    def __init__(self, free: Any, handle: c_void_p) -> None:
        self.handle = handle
        weakref.finalize(self, free, handle)


class Context:
    """A context of the library, and the objects to be freed with it; use it in a `with` statement."""

    def __init__(self, progress: Optional[Progress] = None) -> None:
        self._progress = progress or quiet()
        self._owned: List[Tuple[Any, c_void_p]] = []
        handle = c.lib.nonsens_context_new()
        if not handle:
            raise MemoryError("out of memory")
        self.handle = c_void_p(handle)
        self._callback = c.PROGRESS(self._on_progress)
        if self._progress.visible:
            c.lib.nonsens_context_set_progress(self.handle, self._callback, None)

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_: object) -> None:
        while self._owned:
            free, handle = self._owned.pop()
            free(handle)
        c.lib.nonsens_context_free(self.handle)

    def _on_progress(self, _: Any, phase: bytes, done: int, total: int) -> int:
        self._progress.tell(c.text(phase), done, total)
        return 0

    def check(self, status: int) -> None:
        """Raises the exception that the status stands for."""
        if status != c.OK:
            raise exception_for(status, c.text(c.lib.nonsens_context_message(self.handle)))

    def make(self, make: Callable[..., int], free: Any, *arguments: Any) -> c_void_p:
        """Calls a function whose last argument receives the new object; `free` is called at the end."""
        out = c_void_p()
        self.check(make(self.handle, *arguments, ctypes.byref(out)))
        self._owned.append((free, out))
        return out

    def run(self, make: Callable[..., int], free: Any, *arguments: Any) -> c_void_p:
        """Does the same for slow functions: Ctrl-C ends them, and progress is shown."""
        out = c_void_p()
        status = self._run_aside(lambda: make(self.handle, *arguments, ctypes.byref(out)))
        if out.value:
            self._owned.append((free, out))
        self.check(status)
        return out

    def keep(self, made: c_void_p) -> Kept:
        """Keeps an object, which is then no longer freed at the end."""
        place = next(k for k, (_, handle) in enumerate(self._owned) if handle is made)
        free, handle = self._owned.pop(place)
        return Kept(free, handle)

    def _run_aside(self, call: Callable[[], int]) -> int:
        answer: List[int] = []
        running = threading.Lock()  # not an Event: Ctrl-C inside its wait() may leave it locked for the worker thread
        running.acquire()

        def work() -> None:
            status = -1
            try:
                status = call()
            finally:
                answer.append(status)
                running.release()

        worker = threading.Thread(target=work, name="nonsens", daemon=True)
        worker.start()
        try:
            while not answer:
                if not running.acquire(timeout=_LOOK_SECONDS):
                    self._progress.draw()
            worker.join()
        except BaseException:
            self._stop(answer, running)
            worker.join()
            raise
        finally:
            self._progress.end()
        return answer[0]

    def _stop(self, answer: List[int], running: Any) -> None:
        """Requests a stop until the call has ended: a call that is just beginning forgets an earlier request."""
        while not answer:
            try:
                c.lib.nonsens_context_cancel(self.handle)
                running.acquire(timeout=_CANCEL_SECONDS)
            except KeyboardInterrupt:
                continue  # it is already stopping

    def written(self, write: Callable[..., int], *arguments: Any) -> str:
        """Returns as text what a writer of the library writes; its last argument is a path."""
        with _sink() as (path, read):
            self.check(write(self.handle, *arguments, path.encode()))
            return read()


class _sink:
    """A file in memory if the system has such files, otherwise a temporary file."""

    def __enter__(self) -> Tuple[str, Callable[[], str]]:
        self._file = tempfile.NamedTemporaryFile() if not hasattr(os, "memfd_create") else None
        self._memory = os.memfd_create("nonsens") if self._file is None else -1
        path = "/proc/self/fd/%d" % self._memory if self._file is None else self._file.name
        if self._file is None and not os.path.exists(path):  # no /proc
            os.close(self._memory)
            self._file = tempfile.NamedTemporaryFile()
            path = self._file.name

        def read() -> str:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()

        return path, read

    def __exit__(self, *_: object) -> None:
        if self._file is None:
            os.close(self._memory)
        else:
            self._file.close()
