"""The library's errors as exceptions; each keeps the library's message, which says what, where and what to do."""

from __future__ import annotations

from . import _library as c
from ._sentences import in_python


class NonsensError(Exception):
    """An error of the library: a refusal or a failure."""


class UsageError(NonsensError, ValueError):
    """Options that are out of range, contradict one another or do not belong to the command."""


class DataError(NonsensError, ValueError):
    """Data that cannot be analysed: missing values, too few segments, constant columns and similar problems."""


class NumericError(NonsensError, RuntimeError):
    """A computation that failed; the message says which one, and what to try."""


class OutputError(NonsensError, OSError):
    """A file that cannot be written."""


class DataWarning(UserWarning):
    """A finding of the data audit."""


for _public in (NonsensError, UsageError, DataError, NumericError, OutputError, DataWarning):
    _public.__module__ = "nonsens"  # the name under which users import them, also shown in tracebacks

_EXCEPTIONS = {
    c.ERR_MEMORY: MemoryError,
    c.ERR_USAGE: UsageError,
    c.ERR_DATA: DataError,
    c.ERR_OUTPUT: OutputError,
    c.ERR_NUMERIC: NumericError,
    c.CANCELLED: KeyboardInterrupt,
}


def exception_for(status: int, message: str) -> BaseException:
    """Returns the exception that a status stands for."""
    return _EXCEPTIONS.get(status, RuntimeError)(in_python(message))
