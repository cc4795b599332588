"""Knowledge given as lists equals knowledge from a file."""

import numpy
import pytest
from conftest import comparable

import nonsens
from nonsens._knowledge import knowledge_of
from nonsens._table import Table

LISTS = {"forbidden": [("x1", "x2")], "required": [("x3", "x4")], "tiers": [["x3"], ["x2", "x4"]]}
TEXT = "/knowledge\nrequiredirect\nx3 x4\nforbiddirect\nx1 x2\naddtemporal\n1 x3\n2 x2 x4\n"


def without_knowledge(result):
    found = comparable(result.to_json())
    del found["nonsens"]["options"]["knowledge"]
    return found


def test_same_as_from_a_file(four, tmp_path):
    frame = four.to_frame()
    path = tmp_path / "k.txt"
    path.write_text(TEXT)
    by_file = nonsens.discover(frame, "segment", method="pc", knowledge=path)
    by_lists = nonsens.discover(frame, "segment", method="pc", knowledge=LISTS)
    assert without_knowledge(by_lists) == without_knowledge(by_file)
    assert ("x3", "x4", "-->") in [(e.source, e.target, e.type) for e in by_lists.edges]
    assert by_lists.options["knowledge"] == TEXT  # no trace of a temporary file
    assert "knowledge=knowledge" in by_lists.details
    by_positions = nonsens.discover(four.X, four.segments, method="pc", knowledge=[(2, 3)])
    assert ("c3", "c4", "-->") in [(e.source, e.target, e.type) for e in by_positions.edges]


def test_explain_and_effect(four):
    frame = four.to_frame()
    words = {"method": "pc", "knowledge": {"forbidden": [("x1", "x3"), ("x3", "x1")]}}
    found = nonsens.explain(frame, "segment", of="s1", **words)
    assert {"x1", "x3"} not in [{e.source, e.target} for e in found.graph.edges]
    found = nonsens.effect(frame, "segment", draws=0, **words)
    assert {"x1", "x3"} not in [{e.source, e.target} for e in found.graph.edges]


def test_names_are_quoted():
    table = Table({'a "b"': [1.0], "c*": [1.0], "d e": [1.0], "# f": [1.0], "ä": [1.0]})
    known = knowledge_of(table, {"required": [('a "b"', "c*"), ("d e", "# f")], "tiers": [["ä"], "c*"]})
    assert known.option == (
        '/knowledge\nrequiredirect\n"a ""b""" "c*"\n"d e" "# f"\naddtemporal\n1 "ä"\n2 "c*"\n'
    )
    with pytest.raises(ValueError, match="line break"):
        knowledge_of(Table({"a\nb": [1.0], "c": [1.0]}), [("a\nb", "c")])


@pytest.mark.parametrize(
    "wish, words",
    [
        (
            {"forbidden": [("x1", "x2")], "required": [("x4", "x3"), ("x1", "x2")]},
            r'^knowledge\["required"\]\[1\]: .* required here and forbidden in knowledge\["forbidden"\]\[0\]; drop',
        ),
        ({"tiers": [["x1"], ["x2"]], "required": [("x2", "x1")]}, "forbidden by the tiers"),
        ({"tiers": [["x1"], ["x1"]]}, r'in tier 1 in knowledge\["tiers"\]\[0\]'),
        ([("x1", "x2"), ("x2", "x1")], r"the opposite one in knowledge\[1\]"),
        ([("x1", "nobody")], r'^knowledge\[0\]: there is no variable "nobody"'),
        ([("x1", "x1")], "to itself"),
        ([("x1", 7)], "there is no column 7"),
        ({"tires": []}, "no list 'tires'; there are forbidden, required and tiers"),
        ({"required": ["x1"]}, r"'x1' is no arrow; give \(cause, effect\)"),
    ],
)
def test_wrong_knowledge(four, wish, words):
    with pytest.raises(ValueError, match=words) as caught:
        nonsens.discover(four.to_frame(), "segment", method="pc", knowledge=wish)
    assert "line" not in str(caught.value) and "(text)" not in str(caught.value)


@pytest.mark.parametrize("wish", [3, {"required": "x1"}, {"required": {"x1": "x2"}}])
def test_no_knowledge(four, wish):
    with pytest.raises(TypeError, match="give a path, a dict such as"):
        nonsens.discover(four.to_frame(), "segment", method="pc", knowledge=wish)


def test_empty(four):
    usual = nonsens.discover(four.to_frame(), "segment", method="pc")
    found = nonsens.discover(four.to_frame(), "segment", method="pc", knowledge={"forbidden": [], "tiers": None})
    assert numpy.array_equal(found.adjacency, usual.adjacency)
