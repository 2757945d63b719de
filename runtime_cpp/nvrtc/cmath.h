// <cmath> as NVRTC is given it, whose own functions stand outside of std: what emitted text uses of it.
#pragma once

#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)

namespace std {

using ::ceil;
using ::copysign;
using ::fabs;
using ::floor;
using ::fma;
using ::fmod;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::rint;
using ::signbit;
using ::sqrt;
using ::trunc;

}  // namespace std
