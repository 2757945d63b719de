/* As main.cpp, in C11, for kernels that were built for the CPU: they work on ordinary memory. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "waves.h"

#define POINTS 4096

int main(void) {
    static double first[POINTS], second[POINTS], blocks[POINTS / 256];
    uint64_t bits = 0, each;
    for (int place = 0; place < POINTS; ++place) {
        const double left = place, right = POINTS - 1.0 - place;
        first[place] = second[place] = (left < right ? left : right) / POINTS;
    }
    if (waves_swing(POINTS, 50, 0.25, first, second, NULL) != waves_ok) return 1;
    if (waves_energy(POINTS, first, second, blocks, NULL) != waves_ok) return 1;
    for (int place = 0; place < POINTS; ++place) {
        memcpy(&each, &first[place], sizeof each);
        bits = bits * 31 + each;
    }
    printf("middle %.17g, energy of its block %.17g, bits %016" PRIx64 "\n", first[POINTS / 2], blocks[8], bits);
    return 0;
}
