"""The first result of a module that `transpile build` made. Started by devices_cold.py."""

from array import array

import tiles_ext

n = 1024
x, y = array("d", range(n)), array("d", [1.0]) * n
tiles_ext.saxpy[n // 256](n, 2.0, x, y)
print(y[-1], flush=True)
