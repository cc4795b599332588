"""A progress bar: one line in a terminal, one bar in a notebook, one line per phase elsewhere."""

from __future__ import annotations

import html
import sys
import time
from typing import Any, Optional, TextIO, Tuple

_WIDTH = 24
_FIRST_GUESS_SECONDS = 1.0


class Progress:
    """The current state of the run.  `tell` is called by the working thread, `draw` by the waiting one."""

    visible = True

    def __init__(self) -> None:
        self._state: Optional[Tuple[str, int, int]] = None
        self._phase = ""
        self._begun = 0.0

    def tell(self, phase: str, done: int, total: int) -> None:
        """Stores where the run is."""
        self._state = (phase, done, total)

    def draw(self) -> None:
        """Shows where the run is."""
        state = self._state
        if state is None or state[2] <= 0:
            return
        phase, done, total = state
        if phase != self._phase:
            self._phase, self._begun = phase, time.monotonic()
        self._show(phase, min(done / total, 1.0))

    def left(self, share: float) -> str:
        """Returns how much longer it may take, in words; empty if that is unknown."""
        spent = time.monotonic() - self._begun
        if spent < _FIRST_GUESS_SECONDS or share <= 0:
            return ""
        return ", about %.0f s left" % (spent * (1 - share) / share)

    def _show(self, phase: str, share: float) -> None:
        raise NotImplementedError

    def end(self) -> None:
        """Removes what was shown."""


class _Quiet(Progress):
    visible = False

    def draw(self) -> None:
        pass


class _Terminal(Progress):
    """A line that is overwritten, and cleared at the end."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._shown = 0

    def _show(self, phase: str, share: float) -> None:
        full = round(_WIDTH * share)
        bar = "#" * full + "." * (_WIDTH - full)
        line = "%s [%s] %3.0f %%%s" % (phase, bar, 100 * share, self.left(share))
        self._stream.write("\r" + line.ljust(self._shown))
        self._stream.flush()
        self._shown = max(self._shown, len(line))

    def end(self) -> None:
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()
            self._shown = 0


class _Log(Progress):
    """A line per phase, for streams that cannot be overwritten."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._told = ""

    def _show(self, phase: str, share: float) -> None:
        if phase != self._told:
            self._stream.write("nonsens: %s\n" % phase)
            self._stream.flush()
            self._told = phase


class _Notebook(Progress):
    """A bar of HTML below the cell, which disappears at the end."""

    def __init__(self, display: Any) -> None:
        super().__init__()
        self._display = display
        self._handle: Any = None

    def _html(self, phase: str, share: float) -> Any:
        return self._display.HTML(
            "<div>%s%s<br><progress value='%.4f' max='1' style='width:20em'></progress> %.0f&nbsp;%%</div>"
            % (html.escape(phase), html.escape(self.left(share)), share, 100 * share)
        )

    def _show(self, phase: str, share: float) -> None:
        if self._handle is None:
            self._handle = self._display.display(self._html(phase, share), display_id=True)
        else:
            self._handle.update(self._html(phase, share))

    def end(self) -> None:
        if self._handle is not None:
            self._handle.update(self._display.HTML(""))
            self._handle = None


def _notebook() -> Any:
    """Returns IPython.display in a notebook, otherwise None; imports nothing that is not already loaded."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    import IPython.display as display  # type: ignore[import]

    return display


def quiet() -> Progress:
    """Shows nothing."""
    return _Quiet()


def for_verbosity(verbose: int) -> Progress:
    """Returns the bar that suits where the program runs; none if `verbose` is 0."""
    if not verbose:
        return quiet()
    display = _notebook()
    if display is not None:
        return _Notebook(display)
    stream = sys.stderr
    if stream is None:
        return quiet()
    return _Terminal(stream) if stream.isatty() else _Log(stream)
