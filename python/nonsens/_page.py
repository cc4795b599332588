"""The report page of a result."""

from __future__ import annotations

import os
import tempfile
from ctypes import c_void_p
from dataclasses import dataclass
from typing import Any, Dict, Optional, Union

from . import _library as c
from . import _options
from ._call import Context, Kept
from ._errors import UsageError
from ._table import Table


@dataclass(frozen=True)
class Origin:
    """The run that a result came from: what a page shows besides the JSON."""

    command: str
    values: Dict[str, Any]  # options, keys as in the library's table
    made: Kept  # the library's own result
    table: Table  # the caller's own memory, where it needed no copy


def _write_of_run(ctx: Context, origin: Origin, X: Any, segments: Any, path: bytes) -> None:
    data: Optional[c_void_p] = None
    if X is not None:
        data = Table(X, segments).data(ctx, _options.make(ctx, origin.command, origin.values))
    ctx.check(c.lib.nonsens_result_write_html(ctx.handle, origin.made.handle, data, None, 0, path))


def _write_of_json(ctx: Context, document: str, path: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        with open(result, "w", encoding="utf-8") as file:
            file.write(document)
        ctx.check(c.lib.nonsens_report_write_html(ctx.handle, result.encode(), None, 0, None, path, None))


class Page:
    """Results that can be shown as a page."""

    _origin: Optional[Origin] = None
    _json: str

    def __getstate__(self) -> Dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_origin"}

    def to_html(self, path: "Union[str, os.PathLike[str]]", X: Any = None, segments: Any = None) -> None:
        """Writes the report page: one HTML file that needs no network.

        Parameters
        ----------
        path : path
            The file to write.
        X, segments
            The data of this result, as passed to the run, for pictures of them; without them the page has none.  A
            result that was copied or unpickled makes a page without data.
        """
        to = os.fsencode(path)
        origin = self._origin
        if X is None and segments is not None:
            raise UsageError("segments without X; give the data too, or neither")
        with Context() as ctx:
            if origin is not None:
                _write_of_run(ctx, origin, X, segments, to)
            elif X is None:
                _write_of_json(ctx, self._json, to)
            else:
                raise UsageError("a result that was copied or unpickled has a page without data only; leave X out")
