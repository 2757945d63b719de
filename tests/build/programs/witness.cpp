// A kernel of the stand-in for the driver that writes what arrived, each argument as a number, to the last one.
#include <cstdint>

extern "C" void witness(const unsigned *dimensions, void **arguments) {
    double *out = *(double **)arguments[5];
    out[0] = *(bool *)arguments[0];
    out[1] = *(int32_t *)arguments[1];
    out[2] = (double)*(int64_t *)arguments[2];
    out[3] = *(float *)arguments[3];
    out[4] = *(double *)arguments[4];
    for (int k = 0; k < 6; ++k) out[5 + k] = dimensions[k];
}
