// One call of a kernel or launcher: arguments matched to parameters, checked, converted, and the compiled code run
// without the GIL. Nothing runs before everything is checked.
#pragma once

#include "device_call.hpp"
#include "generic.hpp"

namespace transpile {

inline void check_stream(const callable &called, PyObject *stream) {
    if (stream == Py_None || PyLong_Check(stream) != 0) return;
    fail(PyExc_TypeError, "%s: stream must be None or an int, not %s (the CPU has no streams)", called.row->name,
         type_name(stream));
}

inline int position_of(const callable &called, PyObject *name) {
    for (int at = 0; at < called.count(); ++at) {
        if (called.parameters[static_cast<size_t>(at)] == name) return at;
    }
    for (int at = 0; at < called.count(); ++at) {
        if (PyUnicode_Compare(called.parameters[static_cast<size_t>(at)], name) == 0) return at;
    }
    return -1;
}

// Puts each argument at its parameter's place. What `stream=` is given, or null.
inline PyObject *match(const callable &called, PyObject *const *args, Py_ssize_t positional, PyObject *keywords,
                       PyObject **matched) {
    const char *name = called.row->name;
    if (positional > called.count()) {
        fail(PyExc_TypeError, "%s: takes %d arguments, but %zd were given", name, called.count(), positional);
    }
    std::copy(args, args + positional, matched);
    PyObject *stream = nullptr;
    const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *keyword = PyTuple_GET_ITEM(keywords, k);
        const int at = position_of(called, keyword);
        if (at < 0 && PyUnicode_CompareWithASCIIString(keyword, "stream") == 0) {
            stream = args[positional + k];
            continue;
        }
        if (at < 0) fail(PyExc_TypeError, "%s: has no parameter '%U'", name, keyword);
        if (matched[at] != nullptr) fail(PyExc_TypeError, "%s: argument '%U' is given twice", name, keyword);
        matched[at] = args[positional + k];
    }
    for (int at = 0; at < called.count(); ++at) {
        if (matched[at] != nullptr) continue;
        fail(PyExc_TypeError, "%s: argument '%s' is missing", name, called.row->parameters.first[at].name);
    }
    return stream;
}

inline std::string describe_statics(const callable &called, const int64_t *statics) {
    std::string text;
    for (const parameter &each : called.row->parameters) {
        if (each.kind != kind::static_int) continue;
        if (!text.empty()) text += ", ";
        text += std::string(each.name) + "=" + std::to_string(*statics++);
    }
    return text;
}

// The instance that was built for these values of the static parameters.
inline const instance &choose(const callable &called, const int64_t *statics) {
    for (const instance &each : called.row->instances) {
        if (std::equal(each.statics.begin(), each.statics.end(), statics)) return each;
    }
    std::string built;
    for (const instance &each : called.row->instances) {
        built += (built.empty() ? "" : "; ") + describe_statics(called, each.statics.first);
    }
    fail(PyExc_ValueError, "%s: was not built for %s (built: %s); build it with --instance", called.row->name,
         describe_statics(called, statics).c_str(), built.empty() ? "nothing" : built.c_str());
}

inline void check_apart(const callable &called, small<array_argument, 8> &arrays) {
    for (const pair &each : called.row->apart) {
        const array_argument &first = arrays[called.array_of[static_cast<size_t>(each.first)]];
        const array_argument &second = arrays[called.array_of[static_cast<size_t>(each.second)]];
        if (!first.given.overlaps(second.given)) continue;
        if (each.first == each.second) {
            fail(PyExc_ValueError,
                 "%s: argument '%s' reaches two parameters of one kernel, which may write one of them; declare the "
                 "kernel with alias=True",
                 called.row->name, first.wanted->name);
        }
        fail(PyExc_ValueError,
             "%s: arguments '%s' and '%s' overlap in memory, and the kernel may write one of them; pass a copy, or "
             "declare the kernel with alias=True",
             called.row->name, first.wanted->name, second.wanted->name);
    }
}

// The driver of the function's devices, loaded without the GIL; null for the CPU. Raises driver_missing, driver_error.
inline driver *driver_of(const callable &called) {
    if (!called.device) return nullptr;
    driver *found = driver::loaded(*called.device);
    if (found != nullptr) return found;
    const released_gil while_loading;
    return &driver::of(*called.device);
}

// Checks everything, runs, and raises what the status says.
inline void run_checked(const callable &first, const dimensions &where, PyObject *const *args, Py_ssize_t positional,
                        PyObject *keywords) {
    driver *gpu = driver_of(first);
    const int count = first.count();
    small<PyObject *, 8> matched(count);
    PyObject *stream = match(first, args, positional, keywords, matched.get());
    const callable &called = first.next ? instances_by_type(first, matched.get(), gpu).choose() : first;
    if (gpu == nullptr && stream != nullptr) check_stream(called, stream);
    small<array_argument, 8> arrays(called.array_count);
    small<value, 16> values(count + where.count);
    small<int64_t, 4> statics(count);
    int static_count = 0, array_count = 0, next = 0;
    for (; next < where.count; ++next) values[next].integer = where.of[next];
    for (int at = 0; at < count; ++at) {
        const parameter &wanted = called.row->parameters.first[at];
        const place here = {called.row->name, wanted.name};
        if (wanted.kind == kind::static_int) {
            statics[static_count++] = convert_scalar(matched[at], wanted, here).integer;
        } else if (wanted.kind == kind::scalar) {
            values[next++] = convert_scalar(matched[at], wanted, here);
        } else {
            array_argument &argument = arrays[array_count++];
            argument.given.open(matched[at], wanted, here, gpu);
            argument.wanted = &wanted;
            argument.slot = &values[next++];
            argument.slot->address = argument.given.address();
        }
    }
    const instance &chosen = choose(called, statics.get());
    if (gpu != nullptr) {
        device_call call(called, *gpu, arrays, values.get());
        call.choose(stream);
        check_apart(called, arrays);
        call.run(chosen);
        return;
    }
    check_apart(called, arrays);
    int32_t status = status_ok;
    if (called.table->reports.prints) flush_python();
    {
        const released_gil while_running;
        status = chosen.call(values.get(), nullptr);
    }
    if ((status & 0xff) == status_assertion_failed) raise_failed(called);
    check_status(called, status, nullptr);
}

// The same, with what the driver refuses raised as the function's failure.
inline void run(const callable &called, const dimensions &where, PyObject *const *args, Py_ssize_t positional,
                PyObject *keywords) {
    try {
        run_checked(called, where, args, positional, keywords);
    } catch (const driver_missing &error) {
        fail(PyExc_RuntimeError, "%s: %s", called.row->name, error.what());
    } catch (const driver_error &error) {
        fail_driver(called, error.code, error.what());
    }
}

}  // namespace transpile
