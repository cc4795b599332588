"""Options and methods, as listed in the library's tables, and keyword arguments as options."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library as c
from ._call import Context
from ._sentences import in_python

OptionValue = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[Any]]
RandomState = Union[None, int, np.random.RandomState, np.random.Generator]

_TYPES = ("flag", "integer", "real", "choice", "text", "range")

# Options that scikit-learn calls by another name.
_RENAMED = {"seed": "random_state", "threads": "n_jobs"}
# Options about files, or covered by other arguments.
_ELSEWHERE = {
    "segment": "segments",
    "no-header": None,
    "pairs": "pairs",
    "shard": None,
    "rows": "rows",
    # Options for reading cells of files.
    "decimal": None,
    "thousands": None,
    "na-values": None,
}
# Keyword arguments whose name differs from the option's: `in` is a keyword of Python.
_NAMES = {"in": "in_segment", "row": "rows"}


@dataclass(frozen=True)
class Option:
    """An option of a command, from the library's table."""

    name: str  #: as a keyword argument
    type: str  #: "flag", "integer", "real", "choice", "text" or "range"
    default: str  #: as text
    text: str  #: what it means
    group: str  #: the group that it belongs to
    choices: Tuple[str, ...]  #: of a choice
    lowest: float  #: bounds of numbers, both allowed
    highest: float
    bounds: str  #: the bounds in words, if the two numbers do not show them
    unit: str


@dataclass(frozen=True)
class Method:
    """A method, from the library's table."""

    name: str
    summary: str
    citation: str
    assumes: str  #: what must hold for its answer to be meaningful
    direction: bool  #: can decide on a pair
    discover: bool  #: can find a graph
    needs_segments: bool
    direction_options: Tuple[str, ...]  #: keyword arguments that it uses for a pair, besides those of every run
    discover_options: Tuple[str, ...]  #: the same for a graph


def keyword_of(key: str) -> str:
    """Returns the keyword argument of an option, apart from those that all functions have."""
    return _NAMES.get(key, key.replace("-", "_"))


def key_of(keyword: str) -> str:
    """Returns the option of a keyword argument."""
    keys = {name: key for key, name in _NAMES.items()}
    return keys.get(keyword, keyword.replace("_", "-"))


def _option(info: c.OptionInfo) -> Option:
    choices = c.text(info.choices)
    return Option(
        name=keyword_of(c.text(info.key)),
        type=_TYPES[info.type],
        default=c.text(info.default_value),
        text=in_python(c.text(info.text)),
        group=c.text(info.group),
        choices=tuple(choices.split("|")) if choices else (),
        lowest=info.lowest,
        highest=info.highest,
        bounds=c.text(info.bounds),
        unit=c.text(info.unit),
    )


@lru_cache(maxsize=None)
def options(command: str) -> Tuple[Option, ...]:
    """Lists the options that a command takes as keyword arguments besides those in its signature.

    Parameters
    ----------
    command : str
        "direction", "discover", "explain", "effect", "ica", "independence", "diagnose", "compare" or "simulate".

    Examples
    --------
    >>> import nonsens
    >>> [option.name for option in nonsens.options("ica")][:4]
    ['max_memory', 'alpha', 'method', 'segments']
    >>> next(option.choices for option in nonsens.options("simulate") if option.name == "noise")
    ('laplace', 'gaussian', 'student', 'uniform')
    """
    if command not in c.COMMANDS:
        raise ValueError("no command %r; there are %s" % (command, ", ".join(sorted(c.COMMANDS))))
    found = []
    for i in range(c.lib.nonsens_option_count()):
        info = c.lib.nonsens_option_at(i).contents
        hidden = c.text(info.key) in _RENAMED or c.text(info.key) in _ELSEWHERE
        if info.commands & c.COMMANDS[command] and not hidden:
            found.append(_option(info))
    return tuple(found)


def _keywords(keys: Optional[bytes]) -> Tuple[str, ...]:
    return tuple(key.replace("-", "_") for key in c.text(keys).split())


@lru_cache(maxsize=None)
def methods() -> Tuple[Method, ...]:
    """Lists all methods, and what they can do.

    Examples
    --------
    >>> import nonsens
    >>> [method.name for method in nonsens.methods() if method.discover][:2]
    ['structured', 'lingam']
    """
    found = []
    for i in range(c.lib.nonsens_method_count()):
        info = c.lib.nonsens_method_at(i).contents
        found.append(
            Method(
                name=c.text(info.name),
                summary=in_python(c.text(info.summary)),
                citation=c.text(info.citation),
                assumes=in_python(c.text(info.assumes)),
                direction=bool(info.commands & c.COMMANDS["direction"]),
                discover=bool(info.commands & c.COMMANDS["discover"]),
                needs_segments=bool(info.needs_segments),
                direction_options=_keywords(info.direction_options),
                discover_options=_keywords(info.discover_options),
            )
        )
    return tuple(found)


def describe(command: str) -> str:
    """Describes the options of a command, a paragraph each, for docstrings."""
    lines = []
    for option in options(command):
        kind = " | ".join(option.choices) if option.choices else option.type
        lines.append("%s : %s, default %s" % (option.name, kind, option.default or "none"))
        lines.append("    " + option.text)
    return "\n".join(lines)


# ---- keyword arguments ----


def unknown(name: str, known: Sequence[str]) -> str:
    """Says what is wrong with a name that is no parameter, and names the nearest parameter."""
    if name in _RENAMED:
        hint = "; it is called %s here" % _RENAMED[name]
    else:
        near = difflib.get_close_matches(name, known, 1)
        hint = "; did you mean %s?" % near[0] if near else ""
    return "got an unexpected keyword argument %r%s" % (name, hint)


def refuse_unknown(names: Sequence[str], known: Sequence[str], where: str) -> None:
    """Raises a TypeError, with the nearest name, for a keyword argument that is not an option."""
    for name in names:
        if name not in known:
            raise TypeError("%s %s" % (where, unknown(name, known)))


def seed_of(random_state: RandomState) -> int:
    """Returns the seed of a random_state; None draws one from NumPy's global generator, as in scikit-learn."""
    if random_state is None:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    raise TypeError("random_state must be an integer, None, a RandomState or a Generator, not %r" % (random_state,))


def threads_of(n_jobs: Optional[int]) -> int:
    """Returns the number of threads that n_jobs stands for, as in joblib: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError("n_jobs must be a whole number other than 0, or None, not %r" % (n_jobs,))
    if n_jobs > 0:
        return int(n_jobs)
    return 0 if n_jobs == -1 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def as_text(value: Any) -> str:
    """Formats a value for nonsens_options_set."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, Sequence) and len(value) == 2:
        return "%s:%s" % (as_text(value[0]), as_text(value[1]))
    raise TypeError("%r is no value of an option" % (value,))


def make(ctx: Context, command: str, values: Mapping[str, Any]) -> Any:
    """Makes options of the command with these values; keys are as in the table, and None leaves the default."""
    made = ctx.make(c.lib.nonsens_options_new, c.lib.nonsens_options_free, c.COMMANDS[command])
    given: Dict[str, Any] = {key: value for key, value in values.items() if value is not None}
    first = ["as-published"] if "as-published" in given else []  # it sets other options, which may then be set again
    for key in first + [key for key in given if key not in first]:
        text = as_text(given[key]).encode("utf-8")
        if b"\0" in text:
            raise ValueError("%s: there is a NUL in the text" % key)
        ctx.check(c.lib.nonsens_options_set(ctx.handle, made, key.encode(), text))
    return made
