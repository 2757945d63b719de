// <cstring> as NVRTC is given it, whose own functions stand outside of std: what emitted text uses of it.
#pragma once

namespace std {

using ::memcpy;

}  // namespace std
