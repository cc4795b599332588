"""Background knowledge from a file or from lists, and errors about it in terms of these lists."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, Match, Optional, Sequence, Tuple, Union

from ._errors import DataError
from ._table import Table

Arrow = Tuple[Union[str, int], Union[str, int]]
KnowledgeLists = Mapping[str, Any]
KnowledgeLike = Union[None, str, "os.PathLike[str]", KnowledgeLists, Sequence[Arrow]]

_SECTIONS = {"required": "requiredirect", "forbidden": "forbiddirect", "tiers": "addtemporal"}
_WANTED = (
    'give a path, a dict such as {"forbidden": [("a", "b")], "required": [("b", "c")], "tiers": [["a"], ["b", "c"]]}, '
    "or a list of required arrows such as [(\"b\", \"c\")]"
)
_SIMPLE = re.compile(r"\w+$", re.ASCII)
_LINE = re.compile(r"^knowledge file \(text\):(\d+): ")
_OTHER_LINE = re.compile(r"on line (\d+)")
_TIER_LINES = re.compile(r"the tiers of lines (\d+) and (\d+)")


class Knowledge:
    """Knowledge as the option takes it: a path, or the text of a file."""

    def __init__(self, option: Optional[str], entries: Optional[Dict[int, str]] = None) -> None:
        self.option = option
        self._entries = entries or {}  # each line of the text as a Python entry

    @contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """Makes errors name the entry of the lists instead of the line of the text."""
        try:
            yield
        except DataError as error:
            raise DataError(self._sentence(str(error))) from None

    def _entry(self, match: "Match[str]") -> str:
        return self._entries.get(int(match.group(1)), "another entry")

    def _sentence(self, sentence: str) -> str:
        sentence = _LINE.sub(lambda match: "%s: " % self._entry(match), sentence)
        if not self._entries:
            return sentence
        sentence = _TIER_LINES.sub("the tiers", sentence)
        sentence = sentence.replace(" (one with blanks stands in double quotes)", "")
        return _OTHER_LINE.sub(lambda match: "in %s" % self._entry(match), sentence)


def _quoted(name: str) -> str:
    if "\n" in name or "\r" in name:
        raise ValueError("knowledge: the name %r has a line break; rename the column" % name)
    if _SIMPLE.match(name):
        return name
    return '"%s"' % name.replace('"', '""')


def _arrow(table: Table, arrow: Any, section: str) -> Tuple[str, str]:
    if isinstance(arrow, str) or not isinstance(arrow, Sequence) or len(arrow) != 2:
        raise ValueError("knowledge, %s: %r is no arrow; give (cause, effect)" % (section, arrow))
    cause, effect = (table.name_of(end) for end in arrow)
    return cause, effect


def _lists(wish: Any) -> KnowledgeLists:
    """Makes a dict of the three lists."""
    if isinstance(wish, Mapping):
        for key in wish:
            if key not in _SECTIONS:
                raise ValueError("knowledge: there is no list %r; there are forbidden, required and tiers" % (key,))
        return wish
    if isinstance(wish, Sequence):
        return {"required": wish}
    raise TypeError("knowledge=%r: %s" % (wish, _WANTED))


def knowledge_of(table: Table, wish: KnowledgeLike) -> Knowledge:
    """Converts the argument `knowledge`."""
    if wish is None or isinstance(wish, (str, os.PathLike)):
        return Knowledge(None if wish is None else os.fspath(wish))
    lists = _lists(wish)
    lines: List[str] = ["/knowledge"]
    entries: Dict[int, str] = {}
    for section, title in _SECTIONS.items():
        listed = lists.get(section)
        if listed is None:
            continue
        if isinstance(listed, (str, Mapping)) or not isinstance(listed, Sequence):
            raise TypeError("knowledge: %s=%r is no list; %s" % (section, listed, _WANTED))
        lines.append(title)
        for k, one in enumerate(listed):
            if section == "tiers":
                names = [table.name_of(name) for name in ([one] if isinstance(one, (str, int)) else one)]
                lines.append(" ".join([str(k + 1)] + [_quoted(name) for name in names]))
            else:
                names = list(_arrow(table, one, section))
                lines.append(" ".join(_quoted(name) for name in names))
            part = '["%s"]' % section if isinstance(wish, Mapping) else ""
            entries[len(lines)] = "knowledge%s[%d]" % (part, k)
    return Knowledge("\n".join(lines) + "\n", entries)
