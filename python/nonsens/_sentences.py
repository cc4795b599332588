"""Translates messages of the library into Python: options of the program become keyword arguments.

The library writes `--na drop-rows`; Python shows na="drop-rows".  Text in double quotes is data, such as the name of a
column, and stays unchanged, unless it is the value of an option.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from typing import Any, Dict, List, Match, NamedTuple, Optional, Tuple

from . import _library as c

# Arguments that have another name in this package.
RENAMED = {"seed": "random_state", "threads": "n_jobs", "segment": "segments", "in": "in_segment", "row": "rows"}
_LISTS = ("vars", "exclude", "given")
_CHANGES = ("do", "change")
_FLAG, _RANGE = 0, 5  # types of the library's options: on or off; two numbers

# Options for which this package uses something else.
_ELSEWHERE = {
    "json": "to_json()",
    "html": 'to_html("report.html")',
    "dot": "to_dot()",
    "csv": "to_csv()",
    "graphml": "to_graphml()",
    "tetrad": "to_tetrad()",
    "verbose": "details",
    "explain": "steps",
    "sources": "disturbances",
    "truth": "truth()",
}
_PHRASES = (
    (re.compile(r"give one file per segment"), "give a list of frames, one per segment"),
    (re.compile(r"(?:-v|--verbose) or --json (?=shows?\b)"), "`details` "),
    (re.compile(r"--json (?=shows?\b)"), "`details` "),
    (re.compile(r"--json FILE or --journal FILE"), "--journal FILE"),
    (re.compile(r"(?<=[\s;:(])-v\b"), "`details`"),
    (re.compile(r"names? or #k(?: \((?:#1 is the first column|from 1)\))?"), "name or position (from 0)"),
    (re.compile(r"`(nonsens (?:direction|discover|explain|effect|ica|independence|diagnose|simulate|compare)\b[^`]*)`"),
     r"\1"),
    (re.compile(r"; left out, it is FILE\.journal of --json FILE|, or FILE\.journal beside --json FILE"), ""),
    (re.compile(r"`?\bnonsens (direction|discover|explain|effect|ica|independence|diagnose|simulate|compare)\b`?"),
     r"nonsens.\1()"),
    (re.compile(r"`nonsens methods`"), "nonsens.methods()"),
)
_JOINED = (  # applied after options have become arguments
    (re.compile(r'name them with pairs="all" or pairs="FILE"'), "call nonsens.directions() for them"),
    (re.compile(r"\bLO:HI\b"), "(LO, HI)"),
    (re.compile(r'name their column with segments="COL"'), "give a label for each row, or their column, as `segments`"),
    (re.compile(r'\b(x="[^"]*") (?=y=")'), r"\1, "),
    (re.compile(r'(nonsens\.\w+\()\) (\w+=(?:"[^"]*"|\w+))'), r"\1\2)"),
)
_MORE = re.compile(r"^More: .*$", re.MULTILINE)
_PYTHON_MORE = 'More: print(result.details), result.to_html("report.html")'
_COMMAND = re.compile(r"nonsens (\w+) FILE(?:\.\.\.)?((?:'[^']*'|[^'\n])*)")  # quoted text may have several lines

_QUOTED = r'"[^"\n]*"'
_QUOTED_WHOLE = re.compile(_QUOTED + "$")
_OPTION = r"(`?)--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[ =](%s|[^\s;()`]+))?(`?)" % _QUOTED
_EITHER = re.compile(r"(?P<data>%s)|%s" % (_QUOTED, _OPTION))
_REFUSED = re.compile(r"^--([a-z][a-z0-9-]*) (.*?): ")  # a message about the value of an option begins with it
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$")
_PLACEHOLDER = re.compile(r"[A-Z]+([=,:/][A-Z]+)*$|equal:K$")  # A, COL, A=VALUE, A,B, I/N
_END = re.compile(r"[,.:]+$")  # punctuation after a value


class _Keyword(NamedTuple):
    name: str
    is_flag: bool
    is_range: bool
    choices: Tuple[str, ...]


@lru_cache(maxsize=None)
def _keywords() -> Dict[str, _Keyword]:
    """Returns the keyword arguments, by the names of the options."""
    found: Dict[str, _Keyword] = {}
    for i in range(c.lib.nonsens_option_count()):
        info = c.lib.nonsens_option_at(i).contents
        key = c.text(info.key)
        choices = tuple(c.text(info.choices).split("|"))
        if key in found:  # options of two commands may share a name
            choices += found[key].choices
        found[key] = _Keyword(RENAMED.get(key, key.replace("-", "_")), info.type == _FLAG, info.type == _RANGE, choices)
    for key in ("pairs", "of", "on"):
        found[key] = found[key]._replace(choices=("all",))
    method = found["method"]
    names = [c.text(c.lib.nonsens_method_at(i).contents.name) for i in range(c.lib.nonsens_method_count())]
    found["method"] = method._replace(choices=method.choices + tuple(names))
    return found


# ---- values ----


def _quoted(value: str) -> str:
    return value if _NUMBER.match(value) else '"%s"' % value.replace('"', "'")


def _change(value: str) -> str:
    """Translates A=VALUE into a dict."""
    pairs = [one.partition("=") for one in value.split(",")]
    return "{%s}" % ", ".join('"%s": %s' % (a, b.lstrip("+") if b else "...") for a, _, b in pairs)


def _setting(keyword: _Keyword, key: str, value: str) -> str:
    """Formats name=value, as Python writes it."""
    if "\n" in value:
        return "%s=%s" % (keyword.name, keyword.name)
    if keyword.is_range and value.count(":") == 1:
        return "%s=(%s)" % (keyword.name, value.replace(":", ", "))
    if key in _CHANGES and "=" in value:
        return "%s=%s" % (keyword.name, _change(value))
    if key in _LISTS or (key in ("x", "y", "on") and "," in value):
        return "%s=[%s]" % (keyword.name, ", ".join(_quoted(one) for one in value.split(",")))
    bare = _PLACEHOLDER.match(value) and len(value) == 1 and key not in ("x", "y")
    return "%s=%s" % (keyword.name, value if bare else _quoted(value))


def _is_value(keyword: _Keyword, value: str) -> bool:
    return value in keyword.choices or bool(_NUMBER.match(value) or _PLACEHOLDER.match(value))


# ---- sentences ----


def _argument(match: "Match[str]") -> str:
    """Translates an option, with its value if a value follows and not the rest of the sentence."""
    if match.group("data") is not None:
        return match.group(0)
    key, value = match.group(3), match.group(4) or ""
    keyword = _keywords().get(key)
    text = value.strip('"') if value.startswith('"') else _END.sub("", value)
    rest = "" if value.startswith('"') else value[len(text):]
    closed = match.group(5) if not match.group(2) else ""
    if keyword is None:
        shown = "`%s`" % _ELSEWHERE.get(key, key.replace("-", "_"))
        return shown + (rest if _PLACEHOLDER.match(text) else " " + value if value else "") + closed
    if keyword.is_flag:
        return keyword.name + "=True" + (" " + value if value else "") + closed
    if value and _is_value(keyword, text):
        return _setting(keyword, key, text) + rest + closed
    return "`%s`" % keyword.name + (" " + value if value else "") + closed


def _refusal(match: "Match[str]") -> str:
    """Translates the beginning of a message about the value of an option."""
    key, value = match.group(1), match.group(2)
    if key == "row":  # data rows are counted from 1 in all sentences
        return "data row %s: " % value
    keyword = _keywords().get(key)
    if keyword is None or "--" in value or (" " in value and "=" not in value and not _QUOTED_WHOLE.match(value)):
        return match.group(0)  # the rest of a sentence, not a value
    return _setting(keyword, key, value[1:-1] if _QUOTED_WHOLE.match(value) else value) + ": "


def _call(match: "Match[str]") -> str:
    """Translates a command line of the program into a call of this package's function."""
    command, line = match.groups()
    try:
        words = shlex.split(line)
    except ValueError:
        return match.group(0)
    arguments: List[str] = ["X"]
    while words:
        key = words.pop(0)[2:]
        keyword = _keywords().get(key)
        value = words.pop(0) if words and (keyword is None or not keyword.is_flag) else None
        if keyword is not None:
            arguments.append(_setting(keyword, key, value) if value is not None else keyword.name + "=True")
    return "nonsens.%s(%s)" % (command, ", ".join(arguments))


def in_python(sentence: str) -> str:
    """Returns the sentence with keyword arguments in place of the program's options.

    >>> in_python("leave out such rows with --na drop-rows")
    'leave out such rows with na="drop-rows"'
    >>> in_python('column "--x": write --vars A,B or --x A --y B')
    'column "--x": write vars=["A", "B"] or x="A", y="B"'
    """
    sentence = _COMMAND.sub(_call, _MORE.sub(_PYTHON_MORE, sentence))
    for pattern, python in _PHRASES:
        sentence = pattern.sub(python, sentence)
    sentence = _EITHER.sub(_argument, _REFUSED.sub(_refusal, sentence))
    for pattern, python in _JOINED:
        sentence = pattern.sub(python, sentence)
    return sentence


# ---- documents ----

_WORDS = {"text", "notes", "warnings", "reason", "steps", "assumptions", "settle", "error", "graph_check", "convention"}


def document_in_python(found: Any, key: Optional[str] = None) -> Any:
    """Translates the sentences in a result's JSON; names, labels and options stay unchanged."""
    if isinstance(found, dict):
        return {name: document_in_python(value, name) for name, value in found.items()}
    if isinstance(found, list):
        return [document_in_python(value, key) for value in found]
    return in_python(found) if isinstance(found, str) and key in _WORDS else found
