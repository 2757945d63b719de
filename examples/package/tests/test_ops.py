"""Tests of the installed package: python -m unittest discover tests. They need nothing but Python and the package."""

import math
import random
import unittest
from array import array

from signals import ops

SIZES = (0, 1, 2, 255, 256, 257, 1024, 5000)


def doubles(count: int) -> array:
    return array("d", bytes(8 * count))


class TestOps(unittest.TestCase):
    def setUp(self) -> None:
        self.random = random.Random(1)

    def signal(self, count: int) -> array:
        return array("d", (self.random.uniform(-5, 5) for _ in range(count)))

    def test_smooth(self) -> None:
        for count in SIZES:
            x, y = self.signal(count), doubles(count)
            ops.smooth(count, 0.25, x, y)
            for k, centre in enumerate(x):
                left, right = x[max(k - 1, 0)], x[min(k + 1, count - 1)]
                self.assertEqual(y[k], centre + 0.25 * ((left + right) * 0.5 - centre))

    def test_measure(self) -> None:
        for count in SIZES:
            blocks = -(-count // 1024)
            x, energy, peak = self.signal(count), doubles(blocks), doubles(blocks)
            ops.measure(count, x, energy, peak)
            for block in range(blocks):
                held = x[block * 1024 : block * 1024 + 1024]
                self.assertEqual(peak[block], max(held))
                self.assertTrue(math.isclose(energy[block], math.fsum(v * v for v in held), rel_tol=1e-14))

    def test_the_weight_is_checked_by_the_kernel(self) -> None:
        with self.assertRaisesRegex(AssertionError, r"ops.py:\d+: \[program \d+\] assert .*: the weight is a share"):
            ops.smooth(3, 1.5, doubles(3), doubles(3))
        ops.smooth(3, 1.0, doubles(3), doubles(3))

    def test_arguments_are_checked(self) -> None:
        with self.assertRaisesRegex(ValueError, "overlap"):
            x = doubles(8)
            ops.smooth(8, 0.5, x, x)
        with self.assertRaisesRegex(TypeError, "x"):
            ops.smooth(8, 0.5, array("f", bytes(32)), doubles(8))


if __name__ == "__main__":
    unittest.main()
