"""No message mentions the program's options: `--na drop-rows` is na="drop-rows" here."""

import re

import numpy
import pytest
from conftest import ROOT

import nonsens
from nonsens._sentences import in_python

OPTION = re.compile(r"--[a-z]")


def sources():
    """Yields the texts with options in the library's code, and their positions."""
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        if path.name == "page.c":
            continue
        code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        code = re.sub(r'"\s*PRI\w+\s*"', "d", re.sub(r"//[^\n\"]*\n", "\n", code))
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'(?<!\\)"\s*\n\s*"', "", code)):
            if OPTION.search(text):
                yield path.name, text.replace(r"\"", '"').replace(r"\n", " ")


def test_every_text_of_the_library():
    """Every text about options in the code is translated, not only those that the tests below produce."""
    found = list(sources())
    assert len(found) > 100
    left = [(name, text) for name, text in found if OPTION.search(re.sub(r'"[^"]*"', "", in_python(text)))]
    assert left == []


@pytest.mark.parametrize(
    "program, python",
    [
        ("leave out such rows with --na drop-rows", 'leave out such rows with na="drop-rows"'),
        ("--x and --y go together", "`x` and `y` go together"),
        ("write --vars A,B or --x A --y B", 'write vars=["A", "B"] or x="A", y="B"'),
        ("take a --method that needs less", "take a `method` that needs less"),
        ("take --method structured, which groups", 'take method="structured", which groups'),
        ("--method joint: there is no such method", 'method="joint": there is no such method'),
        ("use --block-length 20.", "use block_length=20."),
        ("add --bootstrap B", "add bootstrap=B"),
        ("leave it out by --keep-all", "leave it out by keep_all=True"),
        ("add --do A=VALUE or --change A=STEP", 'add do={"A": VALUE} or change={"A": STEP}'),
        ("--do rain=3.5: in the data", 'do={"rain": 3.5}: in the data'),
        ("--of monday: there is", 'of="monday": there is'),
        ('--of "the day": there is', 'of="the day": there is'),
        ("--scale 0:1: must be LO:HI", "scale=(0, 1): must be (LO, HI)"),
        ("(--targets: unknown)", "(`targets`: unknown)"),
        ("--seed -1: must be", "random_state=-1: must be"),
        ("with --threads 2 and --in SEGMENT", 'with n_jobs=2 and in_segment="SEGMENT"'),
        ("cut them with --segments equal:K, or", 'cut them with segments="equal:K", or'),
        ("3 more; -v or --json shows them", "3 more; `details` shows them"),
        ("3 more; --json shows them", "3 more; `details` shows them"),
        ("More: --verbose, --html report.html", 'More: print(result.details), result.to_html("report.html")'),
        ('column "--x" is constant', 'column "--x" is constant'),
        ("edges a --> b and a --- c", "edges a --> b and a --- c"),
        ("`nonsens direction --method lingam` says", 'nonsens.direction(method="lingam") says'),
        ("try nonsens diagnose first", "try nonsens.diagnose() first"),
        (
            "  nonsens direction FILE --segment 'the day' --vars a,b --alpha 0.01 --keep-all\n  with",
            '  nonsens.direction(X, segments="the day", vars=["a", "b"], alpha=0.01, keep_all=True)\n  with',
        ),
        ("some --brand-new option", "some `brand_new` option"),
    ],
)
def test_translations(program, python):
    assert in_python(program) == python


# ---- visible texts ----




def wrong_calls(four, pair):
    """Yields calls that the library refuses."""
    X, segments, frame = four.X, four.segments, four.to_frame()
    missing = X.copy()
    missing[3, 1] = numpy.nan
    two = numpy.arange(len(pair.X)) % 2
    known = {"graph": four.graph}
    for function, arguments, options in (
        (nonsens.direction, (X, segments), {}),
        (nonsens.direction, (X,), {"x": 0, "y": 1}),
        (nonsens.direction, (X, segments), {"x": 0}),
        (nonsens.direction, (X, segments), {"x": 0, "y": 0}),
        (nonsens.direction, (X, segments), {"x": 0, "y": 1, "vars": [0, 1]}),
        (nonsens.direction, (X, segments), {"vars": [0]}),
        (nonsens.direction, (missing, segments), {"x": 0, "y": 1}),
        (nonsens.direction, (pair.X[:, [0, 0]], pair.segments), {"keep_all": True}),
        (nonsens.direction, (pair.X * [0, 1], pair.segments), {"keep_all": True}),
        (nonsens.direction, (pair.X, pair.segments), {"method": "guess"}),
        (nonsens.direction, (pair.X, pair.segments), {"basis": 3}),
        (nonsens.direction, (pair.X, pair.segments), {"block_length": 200}),
        (nonsens.direction, (pair.X, pair.segments), {"resume": True}),
        (nonsens.direction, (pair.X, pair.segments), {"journal": "x"}),
        (nonsens.direction, (pair.X, pair.segments), {"na": "zero"}),
        (nonsens.direction, (pair.X, pair.segments), {"method": "nonsens", "keep": 9}),
        (nonsens.direction, (pair.X, pair.segments), {"max_memory": 1}),
        (nonsens.direction, (pair.X, two), {"method": "nonsens"}),
        (nonsens.direction, (pair.X, "equal:1"), {}),
        (nonsens.direction, (pair.X, "equal:many"), {}),
        (nonsens.direction, (pair.X, "equal:100000"), {}),
        (nonsens.direction, (pair.X, ["a"] * len(pair.X)), {}),
        (nonsens.directions, (X, segments), {"pairs": "nowhere"}),
        (nonsens.directions, (X, segments), {"x": 0, "y": 1}),
        (nonsens.discover, (X, segments), {"method": "lingam", "knowledge": {"required": [("c1", "c2")]}}),
        (nonsens.discover, (X, segments), {"targets": "nowhere.csv"}),
        (nonsens.discover, (X, segments), {"method": "pc", "targets": "nowhere.csv"}),
        (nonsens.discover, (X, segments), {"target": "c1"}),
        (nonsens.discover, (X, segments), {"resume": True}),
        (nonsens.discover, (X, segments), {"journal": "-", "bootstrap": 2}),
        (nonsens.discover, (X, segments), {"as_published": True, "method": "pc"}),
        (nonsens.discover, (X, segments), {"time_limit": 1, "bootstrap": 3}),
        (nonsens.independence, (X, segments), {"given": [2]}),
        (nonsens.independence, (X, segments), {"test": "ks"}),
        (nonsens.independence, (X, segments), {"test": "ks", "x": 0, "given": [1]}),
        (nonsens.independence, (X, segments), {"test": "fisher-z", "x": 0, "y": 1, "block_length": 3}),
        (nonsens.explain, (frame, "segment"), {"of": "s1", "against": "s1"}),
        (nonsens.explain, (frame, "segment"), {"of": "nowhere"}),
        (nonsens.explain, (frame, "segment"), {"of": "s1", "reversed": True}),
        (nonsens.explain, (frame, "segment"), {"of": "s1", "onset": "auto"}),
        (nonsens.explain, (frame, "segment"), {"of": "s1", "onset": 900}),
        (nonsens.explain, (frame, "segment"), {"of": "s1", "target": "nobody"}),
        (nonsens.explain, (frame, "segment"), {"of": "s1", "graph": "g.json", "knowledge": "k"}),
        (nonsens.effect, (frame, "segment"), {"do": {"x1": 99}, "on": "x3", **known}),
        (nonsens.effect, (frame, "segment"), {"do": {"x1": 0}, "on": "x1", **known}),
        (nonsens.effect, (frame, "segment"), {"do": "x1", **known}),
        (nonsens.effect, (frame, "segment"), {"rows": [1], **known}),
        (nonsens.effect, (frame, "segment"), {"in_segment": "s1", **known}),
        (nonsens.effect, (frame, "segment"), {"refute": 10, **known}),
        (nonsens.effect, (frame, "segment"), {"do": {"x1": 0}, "refute": 3, **known}),
        (nonsens.effect, (frame, "segment"), {"do": {"x1": 0}, "draws": 3, **known}),
        (nonsens.effect, (frame, "segment"), {"do": {"x1": (0, 1, 0.5)}, "rows": [1], **known}),
        (nonsens.effect, (frame, "segment"), {"do": {"x1": 0}, "in_segment": "s1", "rows": [1], **known}),
        (nonsens.effect, (frame, "segment"), {"reversed": True}),
        (nonsens.ica, (X[:, [0, 0]], segments), {"keep_all": True}),
        (nonsens.ica, (X[:5], segments[:5]), {}),
        (nonsens.diagnose, (X,), {"x": 0}),
    ):
        yield lambda: function(*arguments, **options)  # called before the next one is made
    yield lambda: nonsens.simulate(cyclic=True, independent=True)
    yield lambda: nonsens.simulate(nodes=0)
    yield lambda: nonsens.simulate(do="x1=0")
    yield lambda: nonsens.simulate(interventions="fixed")
    yield lambda: nonsens.simulate(fault=2, segments=1)
    yield lambda: nonsens.simulate(scale=(0, 1))
    yield lambda: nonsens.compare("nowhere.json", four.graph)
    yield lambda: nonsens.compare(four.graph, [[0, 1], [1, 0]], pattern=True)


@pytest.mark.filterwarnings("ignore")
def test_errors(four, pair, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sentences, silent = [], []
    for k, call in enumerate(wrong_calls(four, pair)):
        try:
            call()
            silent.append(k)
        except (ValueError, OSError, TypeError, MemoryError) as error:
            sentences.append(str(error))
    assert silent == []
    assert [sentence for sentence in sentences if OPTION.search(sentence)] == []
    assert len(set(sentences)) > 45
    assert not any("`--" in sentence or "``" in sentence for sentence in sentences)


def words_of(result):
    """Returns all texts of a result."""
    yield from (str(result), result.details, result._repr_html_(), result.summary)
    yield from result.warnings + result.notes + result.steps
    yield from (one.text for one in result.evidence)
    yield from filter(None, (result.reason, result.assumptions))


@pytest.mark.filterwarnings("ignore")
def test_results(four, pair):
    frame, known = four.to_frame(), four.graph
    names = [method.name for method in nonsens.methods()[:8] if method.direction]
    found = [nonsens.direction(pair.X, pair.segments, method=name) for name in names]
    found += [nonsens.discover(frame, "segment", method=one) for one in ("pc", "lingam", "cdnod")]
    found += [nonsens.diagnose(frame, "segment"), nonsens.ica(four.X, four.segments)]
    found += [nonsens.independence(four.X, four.segments, x=0, y=1, given=[2])]
    found += [nonsens.explain(frame, "segment", of="s1", graph=known)]
    found += [nonsens.effect(frame, "segment", graph=known, draws=0)]
    for result in found:
        assert [text for text in words_of(result) if OPTION.search(text)] == [], result
        assert len(result.details) >= len(str(result))


def test_tables():
    """Checks the texts in lists of options and methods."""
    commands = "direction discover explain effect ica independence diagnose simulate compare".split()
    texts = [option.text for command in commands for option in nonsens.options(command)]
    texts += [text for method in nonsens.methods() for text in (method.summary, method.assumes)]
    assert [text for text in texts if OPTION.search(text) or "#k" in text] == []


def test_a_column_that_looks_like_an_option(four):
    X = {"--x": four.X[:, 0], "b": numpy.ones(len(four.X)), "c": four.X[:, 1]}
    with pytest.warns(nonsens.DataWarning):
        found = nonsens.direction(X, four.segments, method="lingam")
    assert found.names == ["--x", "c"] and "--x" in found.decision + found.summary + str(found)
