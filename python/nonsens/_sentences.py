"""The library's sentences as a caller of this package needs them: options of the program become keyword arguments."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, Match, NamedTuple, Tuple

from . import _library as c

# What this package calls otherwise, or takes in another way.
_RENAMED = {"seed": "random_state", "threads": "n_jobs", "segment": "segments", "in": "in_segment", "row": "rows"}
_PROGRAM_ONLY = ("no-header",)
_FLAG = 0  # of the library's types of options

_PHRASES = (
    (
        "name their column with --segment COL, cut the rows with --segments equal:K, or give one file per segment",
        'give a label for each row as `segments`, or cut the rows with segments="equal:K"',
    ),
    ("--x A --y B", "--x A and --y B"),
    ("--do A=VALUE", "do={A: VALUE}"),
)
_OPTION = re.compile(r"--([a-z][a-z-]*[a-z]|[a-z])\b(?: ([^\s,;:()]+(?::K)?))?")
_REFUSED = re.compile(r"^--([a-z][a-z-]*) (.*?): ")  # how a sentence on the value of an option begins
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$")
_PLACEHOLDER = re.compile(r"[A-Z]+$")  # such as the K of "--folds K"


class _Keyword(NamedTuple):
    name: str
    is_flag: bool
    choices: Tuple[str, ...]


@lru_cache(maxsize=None)
def _keywords() -> Dict[str, _Keyword]:
    """The keyword arguments, by the names of the options."""
    found = {}
    for i in range(c.lib.nonsens_option_count()):
        info = c.lib.nonsens_option_at(i).contents
        key = c.text(info.key)
        if key not in _PROGRAM_ONLY:
            name = _RENAMED.get(key, key.replace("-", "_"))
            choices = ("equal:K",) if key == "segments" else tuple(c.text(info.choices).split("|"))
            found[key] = _Keyword(name, info.type == _FLAG, choices)
    return found


def _setting(keyword: _Keyword, value: str) -> str:
    bare = _NUMBER.match(value) or _PLACEHOLDER.match(value)
    return "%s=%s" % (keyword.name, value if bare else '"%s"' % value)


def _argument(match: "Match[str]") -> str:
    """An option, with its value if a value follows and not the rest of the sentence."""
    keyword, value = _keywords().get(match.group(1)), match.group(2)
    if keyword is None:
        return match.group(0)
    is_value = value is not None and (
        value in keyword.choices or _NUMBER.match(value) or _PLACEHOLDER.match(value)
    )
    if is_value and not keyword.is_flag:
        return _setting(keyword, value)
    shown = keyword.name + "=True" if keyword.is_flag else "`%s`" % keyword.name
    return shown if value is None else "%s %s" % (shown, value)


def _refusal(match: "Match[str]") -> str:
    if match.group(1) == "row":  # rows are counted from 1 here, as in all sentences on the data
        return "data row %s: " % match.group(2)
    keyword = _keywords().get(match.group(1))
    return match.group(0) if keyword is None else _setting(keyword, match.group(2)) + ": "


def in_python(sentence: str) -> str:
    """The sentence with keyword arguments in place of the program's options.

    >>> in_python("leave out such rows with --na drop-rows")
    'leave out such rows with na="drop-rows"'
    """
    for program, python in _PHRASES:
        sentence = sentence.replace(program, python)
    return _OPTION.sub(_argument, _REFUSED.sub(_refusal, sentence))
