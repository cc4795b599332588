"""Ctrl-C, progress, threads, forks."""

import io
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
import types

import pytest

import nonsens
from nonsens import _progress

LONG = """
import sys, nonsens
data = nonsens.simulate(nodes=2, segments=20, per_segment=2000, random_state=1)
print("ready", flush=True)
try:
    nonsens.direction(data.X, data.segments, method="nonsens", epochs=100000, patience=100000, restarts=50)
except KeyboardInterrupt:
    print("interrupted", flush=True)
small = nonsens.simulate(per_segment=50, random_state=2)
print(nonsens.independence(small.X, small.segments, test="fisher-z").decision, flush=True)
"""


# Many short jobs, so that progress shows at once.
RESAMPLED = """
import sys, nonsens
data = nonsens.simulate(nodes=3, segments=8, per_segment=40, random_state=1)
print("ready", flush=True)
try:
    nonsens.discover(data.X, data.segments, method="lingam", bootstrap=100000, verbose=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def start(code, **streams):
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, **streams)


def test_interrupt():
    """A real signal soon ends a run that would take hours, and the process continues."""
    child = start(LONG, stderr=subprocess.PIPE)
    assert child.stdout.readline() == "ready\n"
    time.sleep(2)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    printed, complaints = child.communicate(timeout=60)
    assert printed.splitlines()[0] == "interrupted" and len(printed.splitlines()) == 2
    assert child.returncode == 0 and complaints == ""
    assert time.monotonic() - begun < 30


def test_interrupt_is_raised():
    """Without a handler, Python ends as it does on Ctrl-C."""
    child = start(LONG.replace("except KeyboardInterrupt", "except ZeroDivisionError"), stderr=subprocess.PIPE)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    _, complaints = child.communicate(timeout=60)
    assert complaints.rstrip().endswith("KeyboardInterrupt") and child.returncode != 0


def test_progress_in_a_terminal():
    """One line that is overwritten, and cleared at the end."""
    master, slave = pty.openpty()
    child = start(RESAMPLED, stderr=slave)
    os.close(slave)
    assert child.stdout.readline() == "ready\n"
    shown = b""
    deadline = time.monotonic() + 60
    while shown.count(b"\r") < 5 and time.monotonic() < deadline:
        if select.select([master], [], [], 1)[0]:
            shown += os.read(master, 1000)
    child.send_signal(signal.SIGINT)
    printed, _ = child.communicate(timeout=60)
    try:
        while True:
            shown += os.read(master, 1000)
    except OSError:  # the other end is closed
        os.close(master)
    lines = shown.decode().split("\r")
    assert "[" in lines[1] and "%" in lines[1] and "\n" not in shown.decode()
    assert lines[-1] == "" and lines[-2].strip() == ""
    assert printed.splitlines()[0] == "interrupted"


def test_progress_elsewhere(monkeypatch, pair):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("nonsens._call._LOOK_SECONDS", 0.001)
    nonsens.direction(pair.X, pair.segments, verbose=1)
    lines = stream.getvalue().splitlines()
    assert lines and all(line.startswith("nonsens: ") for line in lines) and "\r" not in stream.getvalue()
    stream.truncate(0)
    nonsens.direction(pair.X, pair.segments)
    assert stream.getvalue() == ""


class ZMQInteractiveShell:
    """Has the class name of a notebook's shell."""


def test_progress_in_a_notebook(monkeypatch, pair):
    shown = []

    class Handle:
        def update(self, what):
            shown.append(what)

    def display(what, display_id):
        assert display_id
        shown.append(what)
        return Handle()

    fake, screen = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    fake.get_ipython, fake.display = ZMQInteractiveShell, screen
    screen.display, screen.HTML = display, str
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", screen)
    monkeypatch.setattr("nonsens._call._LOOK_SECONDS", 0.001)
    nonsens.direction(pair.X, pair.segments, verbose=1)
    assert len(shown) > 2 and all("<progress" in what for what in shown[:-1]) and shown[-1] == ""


def test_progress_counts(monkeypatch):
    stream = io.StringIO()
    bar = _progress._Terminal(stream)
    bar.draw()
    assert stream.getvalue() == ""
    bar.tell("training", 1, 4)
    bar.draw()
    assert "training" in stream.getvalue() and " 25 %" in stream.getvalue() and "#" * 6 + "." * 18 in stream.getvalue()
    bar.tell("training", 0, 0)  # the total is unknown
    bar.draw()
    monkeypatch.setattr(time, "monotonic", lambda now=time.monotonic() + 10: now)
    bar.tell("training", 2, 4)
    bar.draw()
    assert "about 10 s left" in stream.getvalue()


def test_other_threads_go_on(pair):
    """The GIL is not held: this thread counts while another one runs the library."""
    longest = [0.0]
    done = threading.Event()

    def run():
        nonsens.direction(pair.X, pair.segments, method="nonsens", epochs=30, restarts=2, n_jobs=1)
        done.set()

    worker = threading.Thread(target=run)
    worker.start()
    last, counted = time.monotonic(), 0
    while not done.is_set():
        now = time.monotonic()
        longest[0], last, counted = max(longest[0], now - last), now, counted + 1
        time.sleep(0.001)
    worker.join()
    assert counted > 20


def test_runs_side_by_side(pair):
    found = []

    def run(seed):
        found.append((seed, nonsens.direction(pair.X, pair.segments, random_state=seed).score))

    workers = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2, 1, 2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4 and len(set(found)) == 2


def test_fork_after_a_run(pair):
    """Threads that OpenMP keeps must not make the children of this process hang."""
    usual = nonsens.direction(pair.X, pair.segments, n_jobs=2).score
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if nonsens.direction(pair.X, pair.segments, n_jobs=2).score == usual else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + 60
    ended = (0, 0)
    while ended[0] == 0 and time.monotonic() < deadline:
        ended = os.waitpid(child, os.WNOHANG)
        time.sleep(0.05)
    if ended[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended == (child, 0)


def test_texts_without_memory_files(monkeypatch, four):
    """If the system has no files in memory, temporary files are used."""
    usual = nonsens.ica(four.X, four.segments).to_dict()
    monkeypatch.delattr(os, "memfd_create")
    assert nonsens.ica(four.X, four.segments).to_dict()["mixing"] == usual["mixing"]


def test_no_open_files_are_left(four):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        nonsens.independence(four.X, four.segments, x=0, y=1, test="fisher-z")
        with pytest.raises(ValueError):
            nonsens.independence(four.X, four.segments, x=0, y=0)
    assert len(os.listdir("/proc/self/fd")) == before


def test_changed_journal_is_a_warning(tmp_path):
    data = nonsens.simulate(sem="node", nodes=3, segments=4, per_segment=30, random_state=3)
    path = tmp_path / "journal"
    words = dict(method="lingam", bootstrap=3, journal=str(path))
    whole = nonsens.discover(data.X, data.segments, **words)
    path.write_text(path.read_text().replace('"seed":2', '"seed":8'))
    with pytest.warns(UserWarning, match="line . was changed after being written") as told:
        again = nonsens.discover(data.X, data.segments, resume=True, **words)
    changed = [w for w in told if "journal" in str(w.message)]
    assert [w.filename for w in changed] == [__file__]
    assert again.bootstrap == whole.bootstrap
