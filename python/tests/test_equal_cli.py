"""The same data and options give the same JSON as the program, except for what may differ between equal runs."""

import json

import numpy
import pytest
from conftest import comparable, need, run_program, write_csv

import nonsens
from nonsens._sentences import in_python

QUICK = {"method": "nonsens", "epochs": 2, "folds": 2, "restarts": 1, "patience": 1}
RUNS = [
    ("direction", {"x": "x1", "y": "x2"}),
    ("direction", {"x": "x2", "y": "x1", "alpha": 0.01, "random_state": 5}),
    ("direction", {"x": "x1", "y": "x2", **QUICK}),
    ("direction", {"x": "x1", "y": "x3", "method": "nonsens-lr", "as_published": True, "epochs": 1}),
    ("direction", {"vars": "x3,x4", "method": "reci"}),
    ("discover", {}),
    ("discover", {"method": "lingam"}),
    ("discover", {"method": "pc", "bootstrap": 4, "max_given": 1}),
    ("explain", {"of": "s2", "against": "s1"}),
    ("explain", {"of": "s3", "method": "lingam", "alpha": 0.01}),
    ("explain", {"of": "s2", "method": "lingam", "block_length": 6}),
    ("ica", {}),
    ("ica", {"method": "fastica", "deflation": True}),
    ("independence", {"x": "x1", "y": "x2"}),
    ("independence", {"x": ["x1", "x4"], "y": "x2", "given": ["x3"]}),
    ("independence", {"x": "x1", "test": "ks"}),
    ("independence", {"x": "x1", "y": "x2", "block_length": 6}),
    ("independence", {"x": "x1", "y": "x2", "block_length": "auto"}),
    ("diagnose", {"x": "x1", "y": "x2"}),
]


def words_of(options):
    """Converts keyword arguments to words of the command line."""
    words = []
    for name, value in options.items():
        key = {"random_state": "seed"}.get(name, name).replace("_", "-")
        if value is True:
            words.append("--" + key)
        else:
            words += ["--" + key, ",".join(value) if isinstance(value, list) else str(value)]
    return words


@pytest.mark.parametrize("command, options", RUNS)
def test_same_json(tmp_path, four, command, options):
    path = write_csv(tmp_path / "data.csv", four.names, four.X, four.segments)
    printed = run_program(command, path, "--segment", "segment", *words_of(options), "--json", "-")
    pandas = need("pandas")
    frame = pandas.DataFrame(four.X, columns=four.names)
    found = getattr(nonsens, command)(frame, four.segments, n_jobs=1, **options)
    assert comparable(found.to_json()) == comparable(printed)
    frame["segment"] = four.segments  # labels as a column, and other threads
    again = getattr(nonsens, command)(frame, "segment", n_jobs=2, **options)
    assert comparable(again.to_json()) == comparable(printed)


def test_same_bytes(tmp_path, four):
    """Not only the same values: the same text, line by line, except for the two lines that may differ."""
    path = write_csv(tmp_path / "data.csv", ["c1", "c2"], four.X[:, :2], four.segments)
    printed = run_program("direction", path, "--segment", "segment", "--threads", "1", "--json", "-")
    found = nonsens.direction(four.X[:, :2], four.segments, n_jobs=1).to_json()
    differing = [a for a, b in zip(printed.splitlines(), found.splitlines()) if a != b]
    assert len(printed.splitlines()) == len(found.splitlines())
    assert all(line.strip().startswith('"seconds"') for line in differing)


def test_same_text(tmp_path, four):
    path = write_csv(tmp_path / "data.csv", ["c1", "c2"], four.X[:, :2], four.segments)
    printed = run_program("direction", path, "--segment", "segment")
    assert str(nonsens.direction(four.X[:, :2], four.segments)) == in_python(printed)


@pytest.mark.parametrize("labels", ["numbers", "texts", "umlauts"])
def test_labels(tmp_path, four, labels):
    place = numpy.array([int(label[1:]) for label in four.segments])
    made = {"numbers": place * 10, "texts": numpy.array(["day %d" % k for k in place])}
    made["umlauts"] = numpy.array(["Tag \N{LATIN SMALL LETTER U WITH DIAERESIS} %d" % k for k in place], dtype=object)
    path = write_csv(tmp_path / "data.csv", four.names, four.X, made[labels], label="day")
    printed = run_program("ica", path, "--segment", "day", "--json", "-")
    series = need("pandas").Series(made[labels], name="day")
    frame = need("pandas").DataFrame(four.X, columns=four.names)
    assert comparable(nonsens.ica(frame, series).to_json()) == comparable(printed)
    assert comparable(nonsens.ica(frame, series.astype("category")).to_json()) == comparable(printed)


def test_blocks_and_missing(tmp_path, four):
    X = four.X.copy()
    X[[3, 77, 200], [0, 1, 3]] = numpy.nan
    path = write_csv(tmp_path / "data.csv", four.names, X)
    printed = run_program("discover", path, "--segments", "equal:4", "--na", "drop-rows", "--json", "-")
    frame = need("pandas").DataFrame(X, columns=four.names)
    with pytest.warns(nonsens.DataWarning, match="3 of 400 rows were left out"):
        found = nonsens.discover(frame, "equal:4", na="drop-rows")
    assert comparable(found.to_json()) == comparable(printed)
    assert frame.isna().sum().sum() == 3  # the caller's data are unchanged


def test_missing_pairwise(tmp_path, four):
    """Rows with some missing values stay; only structured and pc accept them."""
    X = four.X.copy()
    X[::7, 0] = X[3::5, 2] = numpy.nan
    path = write_csv(tmp_path / "data.csv", four.names, X, four.segments)
    frame = need("pandas").DataFrame(X, columns=four.names)
    for method in ("structured", "pc"):
        words = ["--segment", "segment", "--na", "pairwise", "--method", method]
        printed = run_program("discover", path, *words, "--json", "-")
        with pytest.warns(nonsens.DataWarning, match="as if values were missing at random"):
            found = nonsens.discover(frame, four.segments, na="pairwise", method=method)
        assert comparable(found.to_json()) == comparable(printed)
        assert found.n_rows == len(X)
    two = ["--x", four.names[0], "--y", four.names[2]]
    words = ["--segment", "segment", "--na", "pairwise", "--method", "lingam", *two]
    printed = run_program("direction", path, *words, "--json", "-")
    with pytest.warns(nonsens.DataWarning, match="rows were left out"):
        pair = nonsens.direction(frame, four.segments, x=four.names[0], y=four.names[2], na="pairwise", method="lingam")
    assert comparable(pair.to_json()) == comparable(printed)
    assert pair.n_rows == numpy.isfinite(X[:, [0, 2]]).all(axis=1).sum()
    with pytest.warns(nonsens.DataWarning), pytest.raises(nonsens.UsageError, match=r'na="drop-rows".*structured, pc$'):
        nonsens.discover(frame, four.segments, na="pairwise", method="lingam")


def test_same_sources(tmp_path, four):
    """Arrays are not rounded at all: they equal the CSV, which reads back as the same doubles."""
    path = write_csv(tmp_path / "data.csv", four.names, four.X, four.segments)
    lines = run_program("ica", path, "--segment", "segment", "-o", "-").splitlines()[1:]
    printed = numpy.array([[float(cell) for cell in line.split(",")[:4]] for line in lines])
    assert numpy.array_equal(nonsens.ica(four.X, four.segments).sources, printed)


def test_same_simulation(tmp_path):
    table, truth = tmp_path / "data.csv", tmp_path / "truth.json"
    words = ["--nodes", 3, "--segments", 4, "--per-segment", 50, "--scale", "0.5:2", "--correlated", "--seed", 9]
    run_program("simulate", *words, "-o", table, "--truth", truth)
    made = nonsens.simulate(nodes=3, segments=4, per_segment=50, scale=(0.5, 2), correlated=True, random_state=9)
    lines = [line.split(",") for line in table.read_text().splitlines()]
    assert lines[0] == made.names + ["segment"]
    assert numpy.array_equal(numpy.array([[float(cell) for cell in line[:3]] for line in lines[1:]]), made.X)
    assert [line[3] for line in lines[1:]] == made.segments.tolist()
    assert json.loads(truth.read_text()) == made.truth()


def test_same_pairs(tmp_path, four):
    path = write_csv(tmp_path / "data.csv", four.names, four.X, four.segments)
    words = ["--segment", "segment", "--method", "lingam", "--pairs", "all", "--json", "-"]
    printed = run_program("direction", path, *words)
    frame = need("pandas").DataFrame(four.X, columns=four.names)
    found = nonsens.directions(frame, four.segments, method="lingam")
    assert found.to_json() == printed
    assert len(found) == 6 and len(found.to_frame()) == 6
    some = nonsens.directions(frame, four.segments, method="lingam", pairs=[("x1", "x3"), (3, 1)], fdr="none")
    assert [(one["x"], one["y"]) for one in some] == [("x1", "x3"), ("x4", "x2")]


def test_same_segments(tmp_path, four):
    path = write_csv(tmp_path / "data.csv", four.names, four.X, four.segments)
    words = ["--segment", "segment", "--method", "lingam", "--of", "all", "--json", "-"]
    printed = run_program("explain", path, *words)
    frame = need("pandas").DataFrame(four.X, columns=four.names)
    found = nonsens.explain(frame, four.segments, of="all", method="lingam")
    assert found.to_json() == printed
    assert repr(found).startswith("<SegmentsResult: %d segments, " % len(found)) and "<table" in found._repr_html_()
    table = found.to_frame()
    assert list(table["segment"]) == [one["segment"] for one in found] and list(table["error"]) == [None] * len(found)
    for one in found[:2]:
        alone = nonsens.explain(frame, four.segments, of=one["segment"], method="lingam")
        assert alone.to_dict()["explain"] == one["explain"] and alone.notes == one["notes"]


def test_same_segment_called_all(four):
    labels = numpy.where(four.segments == four.segments[0], "all", four.segments)
    one = nonsens.explain(four.X, labels, of="all", method="lingam")
    assert one.to_dict()["explain"]["of"] == "all"


def test_same_graph_files(tmp_path, four):
    path = write_csv(tmp_path / "data.csv", ["c1", "c2", "c3", "c4"], four.X, four.segments)
    found = nonsens.discover(four.X, four.segments, method="lingam")
    for name in ("dot", "csv", "tetrad", "graphml"):
        printed = run_program("discover", path, "--segment", "segment", "--method", "lingam", "--" + name, "-")
        assert getattr(found, "to_" + name)() == printed


def test_compare(tmp_path, four):
    frame = need("pandas").DataFrame(four.X, columns=four.names)
    found = nonsens.discover(frame, four.segments, method="lingam")
    (tmp_path / "found.json").write_text(found.to_json())
    (tmp_path / "truth.json").write_text(json.dumps(four.truth()))
    files = [tmp_path / "found.json", tmp_path / "truth.json"]
    printed = json.loads(run_program("compare", *files, "--closure", "--json", "-"))
    compared = nonsens.compare(found, four.graph, closure=True)
    assert compared.to_dict()["comparisons"] == printed["comparisons"]
    by_path = nonsens.compare(files[0], str(files[1]), closure=True)
    assert by_path.to_dict()["comparisons"] == printed["comparisons"]
    assert compared.shd == printed["comparisons"][0]["shd"] and compared.f1 == printed["comparisons"][0]["arrows"]["f1"]


def test_names_like_formulas(four, tmp_path):
    """The apostrophe that keeps a spreadsheet from reading a name as a formula is only in CSV."""
    pandas = need("pandas")
    names = ["=a", "'@b", "-3", "+c"]
    frame = pandas.DataFrame(four.X, columns=names)
    frame["-s"] = ["=" + label for label in four.to_frame()["segment"]]
    graph = nonsens.discover(frame, "-s", method="lingam")
    assert graph.nodes == names
    assert "''@b" in graph.to_csv() or "'=a" in graph.to_csv()
    path = tmp_path / "data.csv"
    guarded = frame.rename(columns={"=a": "'=a", "'@b": "''@b", "+c": "'+c", "-s": "'-s"})
    guarded["'-s"] = ["'" + label for label in guarded["'-s"]]
    guarded.to_csv(path, index=False)
    told = run_program("discover", str(path), "--segment", "-s", "--method", "lingam", "--json", "-", "-q")
    assert json.loads(told)["nodes"] == names
    assert comparable(graph.to_json()) == comparable(told)
