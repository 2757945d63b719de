"""Many programs, outside of the suite.

    python -m tests.fuzz --count 3000            from seed 0
    python -m tests.fuzz --from 5000 --count 50  others
    python -m tests.fuzz --show 17               one program's text

Each failing program is made smaller and kept in tests/fuzz/kept/, where the suite runs it from then on.
"""

from __future__ import annotations

import argparse
import time

from tests.fuzz import store
from tests.fuzz.generate import by_seed
from tests.fuzz.minimise import manner, minimise
from tests.fuzz.run import check_programs


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=3000, help="how many programs")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--batch", type=int, default=30, help="programs in one compiled module")
    parser.add_argument("--show", type=int, help="print the program of a seed and stop")
    parser.add_argument("--no-keep", action="store_true", help="report failures without making them smaller")
    chosen = parser.parse_args()
    if chosen.show is not None:
        program = by_seed(chosen.show)
        print(program.numbered(0), program.numbered_steps(0), dict(program.arrays), sep="\n")
        return 0
    start, failed, known = time.monotonic(), 0, set()
    for first in range(chosen.first, chosen.first + chosen.count, chosen.batch):
        count = min(chosen.batch, chosen.first + chosen.count - first)
        programs = {by_seed(number).text: number for number in range(first, first + count)}
        for failure in check_programs([by_seed(number) for number in programs.values()]):
            failed += 1
            number = programs[failure.program.text]
            print(f"seed {number} ({failure.program.dialect}): {failure.message[-1500:]}", flush=True)
            way = manner(failure.message)
            if chosen.no_keep or way in known:
                continue
            known.add(way)
            smaller = minimise(failure.program, failure.message)
            path = store.FOLDER / f"{failure.program.dialect}_{number}.py"
            store.write(smaller, path)
            print(f"kept {path}:\n{smaller.text}", flush=True)
        print(f"{first + count - chosen.first} programs, {failed} failed, {time.monotonic() - start:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
