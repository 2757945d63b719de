// Arrays that must outlive a call. A producer of DLPack arrays may reuse the memory of one that Python has dropped as soon
// as its own stream allows, which knows nothing of the kernel's: its owner is held until the kernel is done.
#pragma once

#include "driver.hpp"
#include "errors.hpp"

#include <vector>

namespace transpile {

class kept_owners {
public:
    // Those of this process; the GIL guards them. Never destroyed: Python may be gone by then.
    static kept_owners &get() {
        static kept_owners *const all = new kept_owners();
        return *all;
    }

    // Holds an owner until the work queued on the stream is done. The device is the current one. Where a graph is
    // captured, the caller keeps what the graph uses.
    void keep(driver &gpu, int device, void *stream, const py::object &owner) {
        if (gpu.is_capturing(stream)) return;
        release_done(gpu, device);
        void *event = gpu.create_event();
        held.push_back({&gpu, device, event, owner});
        gpu.record(event, stream);
    }

private:
    struct kept {
        driver *gpu;
        int device;
        void *event;
        py::object owner;
    };
    std::vector<kept> held;

    void release_done(driver &gpu, int device) {
        std::vector<py::object> done;  // let go of at the end: that may run Python, and so come here again
        for (size_t at = 0; at < held.size();) {
            if (held[at].gpu != &gpu || held[at].device != device || !gpu.is_reached(held[at].event)) {
                ++at;
                continue;
            }
            gpu.destroy_event(held[at].event);
            done.push_back(std::move(held[at].owner));
            held[at] = std::move(held.back());
            held.pop_back();
        }
    }
};

}  // namespace transpile
