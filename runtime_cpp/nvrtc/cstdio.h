// <cstdio> as NVRTC is given it, which has `printf` of its own.
#pragma once
