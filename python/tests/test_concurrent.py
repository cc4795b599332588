"""Runs in several Python threads at once, and in processes that fork after a run, give the results of a run alone."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import nonsens
from conftest import comparable

FEW = dict(epochs=3, restarts=1, folds=2, n_jobs=2)
METHODS = [method.name for method in nonsens.methods() if method.direction]


def direction(data, method):
    return comparable(nonsens.direction(data.X, data.segments, method=method, **FEW).to_json())


@pytest.fixture(scope="module")
def small():
    return nonsens.simulate(depth=1, per_segment=40, segments=5, random_state=3)


@pytest.fixture(scope="module")
def alone(small):
    return {method: direction(small, method) for method in METHODS}


def test_threads_at_once(small, alone):
    """Every method runs beside other methods, and beside itself."""
    wanted = METHODS + METHODS[::-1] + METHODS
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda method: direction(small, method), wanted))
    assert found == [alone[method] for method in wanted]


def test_processes_after_a_run(small, alone):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        found = [job.result(timeout=60) for job in [pool.submit(direction, small, method) for method in METHODS]]
    assert found == [alone[method] for method in METHODS]


def test_processes_amid_runs_of_threads(small, alone):
    """Children fork while other threads are inside the library."""
    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(direction, small, method) for method in METHODS]
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
            found = [job.result(timeout=60) for job in [pool.submit(direction, small, method) for method in METHODS]]
        assert found == [job.result() for job in running] == [alone[method] for method in METHODS]
