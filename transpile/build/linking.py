"""What everything that carries the engine is linked with: extension modules, and `transpile._engine`."""

from __future__ import annotations

from typing import Final

# -Bsymbolic: an extension calls its own functions, whatever else the process has loaded under their names. Nor does it
# offer those of a library in it, which a static libstdc++ is.
FLAGS: Final = ("-shared", "-pthread", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-Wl,--build-id=none")
# Behind the objects. The engine loads the driver by dlopen, which is in a library of its own before glibc 2.34.
LIBRARIES: Final = ("-ldl",)
