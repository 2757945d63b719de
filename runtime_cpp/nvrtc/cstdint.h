// <cstdint> as NVRTC is given it, which has no headers of its own: what emitted text uses of it.
#pragma once

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;

#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807l - 1)
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807l
#define UINT32_MAX 4294967295u
