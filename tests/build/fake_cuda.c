// What transpile/build/devices.py asks of NVIDIA's driver, answered without one. -D chooses the answers.
#include <stddef.h>
#include <string.h>

int cuDriverGetVersion(int *version) { return *version = VERSION, 0; }
#if VERSION > 4000
int cuInit(unsigned flags) { return (void)flags, STATUS; }
int cuDeviceGetCount(int *count) { return *count = COUNT, 0; }
int cuGetErrorName(int status, const char **name) {
    *name = status == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" : NULL;
    return *name == NULL;
}
int cuDeviceGet(int *device, int place) { return *device = 7 + place, 0; }
int cuDeviceGetName(char *name, int length, int device) {
    return strncpy(name, device == 7 ? "NVIDIA H200" : "NVIDIA B200", length), 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = 150000000000u + device, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    return *value = attribute == 75 ? (device == 7 ? 9 : 10) : attribute == 76 ? 0 : -1, 0;
}
#endif
