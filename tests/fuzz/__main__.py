"""Many programs, outside of the suite.

    python -m tests.fuzz --count 3000            from seed 0, here: on the CPU and on fibres
    python -m tests.fuzz --device --count 2000   on the NVIDIA device
    python -m tests.fuzz --from 5000 --count 50  others
    python -m tests.fuzz --masked --count 500    tile kernels of narrow elements behind masks alone
    python -m tests.fuzz --show 17               one program's text

Each failing program is made smaller and kept in tests/fuzz/kept/, where the suite runs it from then on.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final

from tests.fuzz import store
from tests.fuzz.generate import by_seed, masked_by_seed
from tests.fuzz.minimise import manner, minimise
from tests.fuzz.program import Program
from tests.fuzz.run import Failure, check_programs
from tests.support import device
from tests.support.everywhere import DEVICE_TARGETS, TARGETS, Target

FAULTS: Final = ("crash", "fault", "hang")
SHOWN: Final = 1500  # characters of a failure


def main() -> int:
    chosen = parse()
    make = masked_by_seed if chosen.masked else by_seed
    if chosen.show is not None:
        program = make(chosen.show)
        print(program.numbered(0), program.numbered_steps(0), dict(program.arrays), sep="\n")
        return 0
    if chosen.device and device.lacking():
        print(f"--device: {device.lacking()}", file=sys.stderr)
        return 3
    targets = DEVICE_TARGETS if chosen.device else TARGETS
    start, done, failed = time.monotonic(), 0, Counter[str]()
    end = chosen.first + chosen.count
    with ThreadPoolExecutor(chosen.jobs) as pool:
        batches = [range(first, min(first + chosen.batch, end)) for first in range(chosen.first, end, chosen.batch)]
        running = {pool.submit(check, make, seeds, targets): seeds for seeds in batches}
        for future in as_completed(running):
            for seed, failure in future.result():
                way = manner(failure.message)
                print(f"seed {seed} ({failure.program.dialect}): {failure.message[-SHOWN:]}", flush=True)
                if not chosen.no_keep and not failed[way]:
                    keep(seed, failure, targets)
                failed[way] += 1
            done += len(running[future])
            print(f"{done} programs, {failed.total()} failed, {time.monotonic() - start:.0f} s", flush=True)
    faults = sum(failed[way] for way in FAULTS)
    print(f"{done} programs: {done - failed.total()} equal, {failed.total() - faults} different, {faults} faults")
    return 1 if failed else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=3000, help="how many programs")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--batch", type=int, default=30, help="programs in one compiled module")
    parser.add_argument("--masked", action="store_true", help="tile kernels of narrow elements behind masks alone")
    parser.add_argument("--jobs", type=int, help="modules at once (default: on the device one a processor, else one)")
    parser.add_argument("--device", action="store_true", help="run on this machine's NVIDIA device")
    parser.add_argument("--show", type=int, help="print the program of a seed and stop")
    parser.add_argument("--no-keep", action="store_true", help="report failures without making them smaller")
    chosen = parser.parse_args()
    if chosen.jobs is None:
        chosen.jobs = len(os.sched_getaffinity(0)) if chosen.device else 1
    return chosen


def check(make: Callable[[int], Program], seeds: Sequence[int], targets: Sequence[Target]) -> list[tuple[int, Failure]]:
    """The programs of these seeds that fail."""
    programs = {make(seed).text: seed for seed in seeds}
    failures = check_programs([make(seed) for seed in programs.values()], targets)
    return [(programs[failure.program.text], failure) for failure in failures]


def keep(seed: int, failure: Failure, targets: Sequence[Target]) -> None:
    """Makes a failing program smaller and writes it where the suite finds it."""
    smaller = minimise(failure.program, failure.message, targets)
    path = store.FOLDER / f"{failure.program.dialect}_{seed}.py"
    store.write(smaller, path)
    print(f"kept {path}:\n{smaller.text}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
