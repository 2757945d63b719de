// A call whose arguments are all checked, on a device: host arrays go there and come back, arrays of the device are used
// where they are, and the kernel is queued on its stream. With arrays of the device alone nothing waits and nothing is
// allocated, so that the call can be captured in a graph.
#pragma once

#include "assertions.hpp"
#include "kept.hpp"
#include "staging.hpp"
#include "streams.hpp"

namespace transpile {

class device_call {
public:
    // `values` are what the kernel takes, the addresses of the arrays among them.
    device_call(const callable &called, driver &gpu, small<array_argument, 8> &arrays, const value *values)
        : called(called), gpu(gpu), first(arrays.get()), last(first + called.array_count), values(values) {}

    // Finds the device and the stream, and reads the arrays whose producers want to know it. `given` is what `stream=`
    // says, or null.
    void choose(PyObject *given) {
        find_device();
        if (given != nullptr && given != Py_None) {
            stream = read_stream(called, given);
        } else {
            current_stream current(called);
            for (array_argument *each = first; each != last; ++each) {
                if (each->given.device() != on_host) current.add(*each, device);
            }
            stream = current.handle();
        }
        for (array_argument *each = first; each != last; ++each) {
            if (!each->given.is_pending()) continue;
            each->given.receive(stream, *each->wanted, {called.row->name, each->wanted->name}, gpu);
            each->slot->address = each->given.address();
        }
    }

    void run(const instance &chosen) {
        if (!gpu.is_started(device)) {
            const released_gil while_starting;
            const on_device once(gpu, device);
        }
        const on_device here(gpu, device);
        check_stream();
        for (array_argument *each = first; each != last; ++each) {
            if (each->given.device() == on_host && each->given.bytes() > 0) add_host_array(each);
        }
        const bool may_wait = !pieces.empty() || has_pinned;
        if (called.table->reports.prints) flush_python();
        const int32_t status = may_wait ? run_beside_host_arrays(chosen) : run_at_once(chosen);
        if (!is_sticky(status >> 8)) hold_owners();  // a launcher that failed may have queued kernels before
        if (may_wait && called.table->reports.prints) flush_kernels();
        if ((status & 0xff) == status_assertion_failed || (may_wait && status == status_ok)) raise_failed(called);
        check_status(called, status, &gpu, device);
    }

private:
    const callable &called;
    driver &gpu;
    array_argument *const first, *const last;
    const value *values;
    int device = 0;
    const parameter *device_of = nullptr;  // the one whose array says so; null: none does
    void *stream = nullptr;
    bool has_pinned = false;
    std::vector<piece> pieces;
    std::vector<array_argument *> staged;  // the array of each piece

    void find_device() {
        for (const array_argument *each = first; each != last; ++each) {
            if (each->given.device() < 0) continue;
            if (device_of == nullptr) {
                device_of = each->wanted;
                device = each->given.device();
            }
            if (each->given.device() == device) continue;
            fail(PyExc_ValueError, "%s: arguments '%s' and '%s' are on two devices, %d and %d; copy one of them",
                 called.row->name, device_of->name, each->wanted->name, device, each->given.device());
        }
        if (device_of == nullptr) device = gpu.current();
    }

    // A driver runs a kernel on its stream's device, wherever its arrays are: it fails there, and the process with it.
    void check_stream() const {
        if (gpu.count() == 1 || is_default_stream(stream)) return;
        const int other = gpu.device_of(stream);
        if (other == device || other < 0) return;
        if (device_of == nullptr) {
            fail(PyExc_ValueError, "%s: the stream is one of device %d, and the current device is %d; use that device",
                 called.row->name, other, device);
        }
        fail(PyExc_ValueError, "%s: the stream is one of device %d, and argument '%s' is on device %d", called.row->name,
             other, device_of->name, device);
    }

    // Pinned arrays are used in place; others are copied.
    void add_host_array(array_argument *argument) {
        const array &given = argument->given;
        const location begin = gpu.memory_of(given.data());
        if (begin.address != nullptr && gpu.memory_of(given.data() + given.bytes() - 1).address != nullptr) {
            argument->slot->address = given.moved(begin.address);
            has_pinned = true;
            return;
        }
        check_is_meant(*argument);
        const bool comes_back = argument->wanted->kind == kind::pointer;
        pieces.push_back({given.data(), static_cast<size_t>(given.bytes()), comes_back});
        staged.push_back(argument);
    }

    // A host tensor of a library that has devices, beside arrays of a device, has been forgotten there.
    void check_is_meant(const array_argument &argument) const {
        const access from = argument.given.kind();
        if (device_of == nullptr || (from != access::exchange && from != access::dlpack)) return;
        fail(PyExc_ValueError, "%s: argument '%s' is in host memory, and '%s' on device %d; move one of them",
             called.row->name, argument.wanted->name, device_of->name, device);
    }

    int32_t queue(const instance &chosen) const {
        return chosen.image != nullptr ? chosen.image->launch(gpu, device, values, stream)
                                       : chosen.call(values, stream);
    }

    void hold_owners() const {
        for (const array_argument *each = first; each != last; ++each) {
            if (each->given.owner() && each->given.device() != on_host) {
                kept_owners::get().keep(gpu, device, stream, each->given.owner());
            }
        }
    }

    int32_t run_at_once(const instance &chosen) const {
        const released_gil while_queuing;
        return queue(chosen);
    }

    // Returns when host arrays may be used again: where none comes back, the kernel may still run.
    int32_t run_beside_host_arrays(const instance &chosen) {
        const bool is_captured = gpu.is_capturing(stream);
        if (is_captured && !pieces.empty()) {
            fail(PyExc_ValueError,
                 "%s: argument '%s' is a host array, which a graph cannot capture; pass an array of the device",
                 called.row->name, staged[0]->wanted->name);
        }
        int32_t status = status_ok;
        bool has_begun = false;
        try {
            const released_gil while_waiting;
            round_trip trip(staging_of(gpu, device), pieces.data(), static_cast<int>(pieces.size()), stream);
            for (size_t k = 0; k < pieces.size(); ++k) {
                staged[k]->slot->address = staged[k]->given.moved(pieces[k].device);
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
        return status;
    }
};

}  // namespace transpile
