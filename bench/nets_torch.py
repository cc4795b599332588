#!/usr/bin/python3
"""nets_torch.py NETS TABLE EXCHANGE - times the training of bench/nets.c in PyTorch, and how much faster nets.c is.

NETS is the program made from nets.c, which writes EXCHANGE.  Prints `bench NAME VALUE UNIT`.  The PyTorch code is
typical of its users; Adam runs in its `foreach` variant, which is faster.  The logit of class 0 is free here and pinned
to zero in nets.c: both can represent the same distributions of classes, and the initial weights are the same.
"""
import math
import multiprocessing
import statistics
import subprocess
import sys
import time

try:
    import torch
except ImportError:
    print('# torch: not installed, comparison left out; to have it: apt-get install python3-torch, and run again')
    sys.exit(0)

WIDTHS, BATCHES, PAIRS = (16, 32, 64, 128), (256, 512, 5120), 5
CLASSES, HELD_OUT_EVERY, RUNS = 10, 5, 3


def network(layers, width):
    """Makes a network 2 - width - ... - width - 2 - classes."""
    parts, inputs = [], 2
    for _ in range(layers):
        parts += [torch.nn.Linear(inputs, width), torch.nn.LeakyReLU(0.2)]
        inputs = width
    return torch.nn.Sequential(*parts, torch.nn.Linear(inputs, 2), torch.nn.Linear(2, CLASSES))


# ---- one step on one core, by processor time ----

def step_milliseconds(net, optimiser, x, y, steps):
    criterion = torch.nn.CrossEntropyLoss()
    start = time.process_time()
    for _ in range(steps):
        optimiser.zero_grad(set_to_none=True)
        criterion(net(x), y).backward()
        optimiser.step()
    return 1e3 * (time.process_time() - start) / steps


def compare_steps(program, width, batch):
    """Prints PyTorch's best time, and the median ratio over pairs of consecutive runs of equally many steps.

    At batch 5120, about a sixth of PyTorch's time goes to memory that malloc returns to the system and requests again.
    MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ in the environment would save it, but few users set them."""
    steps = 100 if batch < 5120 else 20
    net = network(3, width)
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, foreach=True)
    y = torch.arange(batch) % CLASSES
    x = torch.randn(batch, 2) * (1 + 0.3 * y[:, None])
    step_milliseconds(net, optimiser, x, y, steps)
    theirs, ratios = [], []
    for _ in range(PAIRS):
        ours = float(subprocess.check_output([program, 'step', str(width), str(batch), str(steps)]))
        theirs.append(step_milliseconds(net, optimiser, x, y, steps))
        ratios.append(theirs[-1] / ours)
    name = 'bench nets.width%d.batch%d' % (width, batch)
    print('%s.torch-step %.4f ms' % (name, min(theirs)))
    print('%s.speedup-over-torch %.2f x' % (name, statistics.median(ratios)), flush=True)


# ---- an ensemble to a held-out loss, on two cores ----

def run_ours(program, table, exchange):
    """Returns settings and times of nets.c by name, and the initial weights of each network."""
    subprocess.run([program, 'ensemble', table, exchange], check=True, stdout=subprocess.DEVNULL)
    with open(exchange, encoding='ascii') as file:
        settings = {key: float(value) for key, value in (word.split('=') for word in file.readline().split())}
        return settings, [torch.tensor([float(word) for word in line.split()]) for line in file]


def read_table(path):
    """Returns training and held-out rows as nets.c splits them: standardised, every fifth row held out."""
    with open(path, encoding='utf-8') as file:
        cells = [line.strip().split(',') for line in file][1:]
    x = torch.tensor([[float(a), float(b)] for a, b, _ in cells], dtype=torch.float64)
    x = ((x - x.mean(0)) / x.std(0)).float()
    names = sorted({segment for _, _, segment in cells})
    y = torch.tensor([names.index(segment) for _, _, segment in cells])
    held = torch.arange(len(cells)) % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
    return x[~held], y[~held], x[held], y[held]


def train_network(start, data, settings, epochs):
    """Returns the lowest held-out loss after each epoch; stops early as nets.c does."""
    x, y, x_held, y_held = data
    net, criterion = network(int(settings['layers']), int(settings['width'])), torch.nn.CrossEntropyLoss()
    torch.nn.utils.vector_to_parameters(start.clone(), net.parameters())
    optimiser = torch.optim.AdamW(net.parameters(), lr=settings['learning_rate'],
                                  weight_decay=settings['weight_decay'], foreach=True)
    batch, step, losses, best, best_epoch = int(settings['batch']), 0, [], math.inf, 0
    steps = settings['epochs'] * round(len(x) / batch)
    for epoch in range(epochs):
        if epoch - best_epoch <= settings['patience']:
            for rows in torch.randperm(len(x)).split(batch):
                cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
                optimiser.param_groups[0]['lr'] = settings['learning_rate'] * (0.01 + 0.99 * cosine)
                optimiser.zero_grad(set_to_none=True)
                criterion(net(x[rows]), y[rows]).backward()
                optimiser.step()
                step += 1
            with torch.no_grad():
                loss = criterion(net(x_held), y_held).item()
            if loss < best:
                best, best_epoch = loss, epoch
        losses.append(best)
    return losses


def train_some(job):
    """Trains networks one after another; returns their losses and the processor time."""
    threads, starts, data, settings, epochs = job
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    begin = time.process_time()
    losses = [train_network(start, data, settings, epochs) for start in starts]
    return losses, time.process_time() - begin


def timed(train):
    """Returns losses, wall-clock seconds, and seconds of all processors."""
    begin = time.perf_counter()
    parts = train()
    return sum((losses for losses, _ in parts), []), time.perf_counter() - begin, sum(used for _, used in parts)


def epochs_to(target, losses):
    """Returns how many epochs pass until the mean over the networks reaches the target; None if it never does."""
    means = [statistics.mean(after) for after in zip(*losses)]
    return next((epoch + 1 for epoch, mean in enumerate(means) if mean <= target), None), means[-1]


def compare_ensembles(program, table, exchange):
    """Times both in turn, as nets.c does; each time is the best of several.  PyTorch gets its faster choice: all
    networks in one process with two threads, or half of them in each of two processes with one thread, which start
    before the clock."""
    settings, starts = run_ours(program, table, exchange)
    data, complete = read_table(table), int(settings['epochs'])
    ours, processes, threads = [settings], [], []
    with multiprocessing.get_context('spawn').Pool(2) as pool:
        def two_processes(epochs):
            jobs = [(1, part, data, settings, epochs) for part in (starts[0::2], starts[1::2])]
            return timed(lambda: pool.map(train_some, jobs, chunksize=1))

        two_processes(1)
        losses, seconds, _ = two_processes(complete)
        needed, final = epochs_to(settings['target'], losses)
        for _ in range(RUNS):
            processes.append(two_processes(needed or complete))
            threads.append(timed(lambda: [train_some((2, starts, data, settings, needed or complete))]))
            ours.append(run_ours(program, table, exchange)[0])
    if not needed:
        print('# torch ensemble: never came to the loss, so that its times are those of complete training')
    print('bench nets.ensemble.torch-final-loss %.4f nats' % final)
    print('bench nets.ensemble.torch-complete %.3f s' % seconds)
    print('bench nets.ensemble.torch-epochs %d epochs' % (needed or complete))
    print('bench nets.ensemble.torch-two-processes %.3f s' % min(run[1] for run in processes))
    print('bench nets.ensemble.torch-two-threads %.3f s' % min(run[1] for run in threads))
    by_clock = min(run[1] for run in processes + threads) / min(run['clock'] for run in ours)
    by_processor = min(run[2] for run in processes + threads) / min(run['processor'] for run in ours)
    print('bench nets.ensemble.speedup-over-torch %.2f x' % by_clock)
    print('bench nets.ensemble.speedup-over-torch-undisturbed %.2f x' % by_processor)


def main():
    program, table, exchange = sys.argv[1:]
    torch.set_num_threads(1)
    print('# torch: %s' % torch.__version__, flush=True)
    for width in WIDTHS:
        for batch in BATCHES:
            compare_steps(program, width, batch)
    compare_ensembles(program, table, exchange)


if __name__ == '__main__':
    main()
