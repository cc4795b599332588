"""What goes wrong, as exceptions: each keeps the library's sentence, which says what, where and what to do."""

from __future__ import annotations

from . import _library as c
from ._sentences import in_python


class NonsensError(Exception):
    """Anything that the library refuses or that breaks down in it."""


class UsageError(NonsensError, ValueError):
    """Options that are out of range, contradict one another or do not belong to the command."""


class DataError(NonsensError, ValueError):
    """Data that cannot be analysed: missing values, too few segments, constant columns and the like."""


class NumericError(NonsensError, RuntimeError):
    """A computation that broke down; the message says which and what to try."""


class OutputError(NonsensError, OSError):
    """A file that cannot be written."""


class DataWarning(UserWarning):
    """What the audit of the data found."""


for _public in (NonsensError, UsageError, DataError, NumericError, OutputError, DataWarning):
    _public.__module__ = "nonsens"  # as users import them, and as tracebacks show them

_EXCEPTIONS = {
    c.ERR_MEMORY: MemoryError,
    c.ERR_USAGE: UsageError,
    c.ERR_DATA: DataError,
    c.ERR_OUTPUT: OutputError,
    c.ERR_NUMERIC: NumericError,
    c.CANCELLED: KeyboardInterrupt,
}


def exception_for(status: int, message: str) -> BaseException:
    """The exception that a status stands for."""
    return _EXCEPTIONS.get(status, RuntimeError)(in_python(message))
