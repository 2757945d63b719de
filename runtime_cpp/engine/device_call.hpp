// A call whose arguments are all checked, on a device: host arrays go there and come back, arrays of the device are used
// where they are, and the kernel is queued on its stream. With arrays of the device alone nothing waits and nothing is
// allocated, so that the call can be captured in a graph.
#pragma once

#include "failures.hpp"
#include "image.hpp"
#include "kept.hpp"
#include "staging.hpp"
#include "streams.hpp"

namespace transpile {

class device_call {
public:
    // `values` holds the address of each array at `slots`, by parameter.
    device_call(const callable &called, driver &gpu, small<array, 8> &arrays, value *values, const int *slots)
        : called(called), gpu(gpu), arrays(arrays), values(values), slots(slots) {}

    // Finds the device and the stream, and reads the arrays whose producers want to know it. `given` is what `stream=`
    // says, or null.
    void choose(PyObject *given) {
        find_device();
        if (given != nullptr && given != Py_None) {
            stream = read_stream(called, given);
        } else {
            current_stream current(called);
            for (int at = 0; at < called.count(); ++at) {
                if (arrays[at].device() != on_host) current.add(at, arrays[at], device);
            }
            stream = current.handle();
        }
        for (int at = 0; at < called.count(); ++at) {
            if (!arrays[at].is_pending()) continue;
            const parameter &wanted = called.row->parameters.first[at];
            arrays[at].import(stream, wanted, {called.row->name, wanted.name}, gpu);
            values[slots[at]].address = arrays[at].address();
        }
    }

    void run(const instance &chosen) {
        if (!gpu.is_started(device)) {
            const released_gil while_starting;
            const on_device first(gpu, device);
        }
        const on_device here(gpu, device);
        for (int at = 0; at < called.count(); ++at) find_host_array(at);
        if (pieces.empty() && !has_pinned) {
            int32_t status = status_ok;
            {
                const released_gil while_queuing;
                status = queue(chosen);
            }
            check_status(called, status, &gpu, device);
            keep_owners();
        } else {
            run_and_wait(chosen);
        }
    }

private:
    const callable &called;
    driver &gpu;
    small<array, 8> &arrays;
    value *values;
    const int *slots;
    int device = 0;
    int device_of = -1;  // the parameter whose array says so; -1: none does
    void *stream = nullptr;
    bool has_pinned = false;
    std::vector<piece> pieces;
    std::vector<int> owners;  // the parameter of each piece

    void find_device() {
        for (int at = 0; at < called.count(); ++at) {
            if (arrays[at].device() < 0) continue;
            if (device_of < 0) {
                device_of = at;
                device = arrays[at].device();
            }
            if (arrays[at].device() == device) continue;
            fail(PyExc_ValueError, "%s: arguments '%s' and '%s' are on two devices, %d and %d; copy one of them",
                 called.row->name, called.row->parameters.first[device_of].name, called.row->parameters.first[at].name,
                 device, arrays[at].device());
        }
        if (device_of < 0) device = gpu.current();
    }

    bool is_array(int at) const {
        const kind kind = called.row->parameters.first[at].kind;
        return kind == kind::pointer || kind == kind::const_pointer;
    }

    // Pinned arrays are used in place; others are copied.
    void find_host_array(int at) {
        const array &given = arrays[at];
        if (!is_array(at) || given.device() != on_host || given.bytes() == 0) return;
        const location first = gpu.memory_of(given.data());
        if (first.address != nullptr && gpu.memory_of(given.data() + given.bytes() - 1).address != nullptr) {
            values[slots[at]].address = given.moved(first.address);
            has_pinned = true;
            return;
        }
        check_is_meant(at);
        const bool comes_back = called.row->parameters.first[at].kind == kind::pointer;
        pieces.push_back({given.data(), static_cast<size_t>(given.bytes()), comes_back});
        owners.push_back(at);
    }

    // A host tensor of a library that has devices, beside arrays of a device, has been forgotten there.
    void check_is_meant(int at) const {
        const access from = arrays[at].kind();
        if (device_of < 0 || (from != access::exchange && from != access::dlpack)) return;
        fail(PyExc_ValueError, "%s: argument '%s' is in host memory, and '%s' on device %d; move one of them",
             called.row->name, called.row->parameters.first[at].name, called.row->parameters.first[device_of].name,
             device);
    }

    int32_t queue(const instance &chosen) const {
        return chosen.image != nullptr ? chosen.image->launch(gpu, device, values, stream)
                                       : chosen.call(values, stream);
    }

    // The call returns when host arrays may be used again.
    void run_and_wait(const instance &chosen) {
        const bool is_captured = gpu.is_capturing(stream);
        if (is_captured && !pieces.empty()) {
            fail(PyExc_ValueError,
                 "%s: argument '%s' is a host array, which a graph cannot capture; pass an array of the device",
                 called.row->name, called.row->parameters.first[owners[0]].name);
        }
        int32_t status = status_ok;
        bool has_begun = false;
        try {
            const released_gil while_waiting;
            round_trip trip(staging_of(gpu, device), pieces.data(), static_cast<int>(pieces.size()), stream);
            for (size_t k = 0; k < pieces.size(); ++k) {
                values[slots[owners[k]]].address = arrays[owners[k]].moved(pieces[k].device);
            }
            has_begun = true;
            status = queue(chosen);
            if ((status & 0xff) != status_launch_failed) trip.bring_back();
            if (has_pinned && !is_captured) gpu.synchronize(stream);
        } catch (const driver_error &error) {
            if (!has_begun) throw;
            fail(PyExc_RuntimeError, "%s: the kernel failed: %s; arrays that it may write are undefined now",
                 called.row->name, error.what());
        }
        check_status(called, status, &gpu, device);
    }

    void keep_owners() const {
        for (int at = 0; at < called.count(); ++at) {
            if (arrays[at].owner() && arrays[at].device() != on_host) {
                kept_owners::get().keep(gpu, device, stream, arrays[at].owner());
            }
        }
    }
};

}  // namespace transpile
