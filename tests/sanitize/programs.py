"""Generated programs on the device, in this process: what runs under a sanitizer.

python -m tests.sanitize.programs FIRST COUNT     one module of the programs of these seeds
"""

from __future__ import annotations

import sys

from tests.fuzz.generate import by_seed
from tests.fuzz.program import module_instances, module_text
from tests.support import device
from tests.support.everywhere import WATCHED, Text, check_everywhere


def main() -> None:
    device.driver()  # first of all: what watches a process waits for this
    first, count = (int(word) for word in sys.argv[1:])
    programs = [by_seed(number) for number in range(first, first + count)]
    text = Text(module_text(programs), "fuzz", module_instances(programs))
    for number, program in enumerate(programs):
        check_everywhere(text, program.numbered_steps(number), program.make_arrays(), WATCHED)


if __name__ == "__main__":
    main()
