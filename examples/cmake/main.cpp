// Plucks a string, lets it swing, and prints what `python waves.py` prints: the same bits on every target.
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "device_array.hpp"
#include "waves.h"

namespace {

constexpr int64_t points = 4096;

void succeeded(int32_t status, const char *what) {
    if (status == waves_ok) return;
    std::fprintf(stderr, "%s: status %d, and error %d of the GPU's: see waves.h\n", what, status & 0xff, status >> 8);
    std::exit(1);
}

// One number of all the bits.
uint64_t bits_of(const std::vector<double> &values) {
    uint64_t bits = 0;
    for (double value : values) {
        uint64_t each;
        std::memcpy(&each, &value, sizeof each);
        bits = bits * 31 + each;
    }
    return bits;
}

}  // namespace

int main() {
    std::vector<double> plucked(points);
    for (int64_t place = 0; place < points; ++place) {
        plucked[place] = std::min(double(place), points - 1.0 - place) / points;
    }
    device_array<double> first(plucked), second(plucked), blocks(std::vector<double>(points / 256));
    succeeded(waves_swing(points, 50, 0.25, first.data(), second.data(), nullptr), "swing");
    succeeded(waves_energy(points, first.data(), second.data(), blocks.data(), nullptr), "energy");
    const std::vector<double> string = first.values();
    std::printf("middle %.17g, energy of its block %.17g, bits %016" PRIx64 "\n", string[points / 2], blocks.values()[8],
                bits_of(string));
}
