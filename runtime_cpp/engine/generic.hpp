// Which instance of a generic function a call means: the one that has the element types of its arrays.
#pragma once

#include "arrays.hpp"
#include "callable.hpp"

namespace transpile {

// Whether the parameter's elements are of another type in some other instance.
inline bool is_generic(const callable &first, int at) {
    const parameter &own = first.row->parameters.first[at];
    if (own.kind != kind::pointer && own.kind != kind::const_pointer) return false;
    for (const callable *each = first.next.get(); each != nullptr; each = each->next.get()) {
        if (each->row->parameters.first[at].dtype != own.dtype) return true;
    }
    return false;
}

// The element types that a parameter has in the instances: "float16 or float32".
inline std::string choices_of(const callable &first, int at) {
    std::string text;
    for (const callable *each = &first; each != nullptr; each = each->next.get()) {
        const std::string name = row_of(each->row->parameters.first[at].dtype).name;
        if (text.find(name) == std::string::npos) text += (text.empty() ? "" : " or ") + name;
    }
    return text;
}

// The instance for these arguments. Where none fits all of them, one that fits the first: its own checks say which
// argument is of another type. Raises TypeError where no instance fits the first.
inline const callable &by_types(const callable &first, PyObject *const *matched, driver *gpu) {
    const int count = first.count();
    small<element, 8> given(count);
    const callable *fitting = &first;
    for (int at = 0; at < count; ++at) {
        if (!is_generic(first, at)) continue;
        const place here = {first.row->name, first.row->parameters.first[at].name};
        given[at] = array().look(matched[at], here, gpu);
        const callable *found = nullptr;
        bool is_known = false;
        for (const callable *each = &first; each != nullptr && found == nullptr; each = each->next.get()) {
            is_known = is_known || given[at].is(row_of(each->row->parameters.first[at].dtype));
            bool fits = true;
            for (int before = 0; before <= at && fits; ++before) {
                fits = !is_generic(first, before) || given[before].is(row_of(each->row->parameters.first[before].dtype));
            }
            if (fits) found = each;
        }
        if (found == nullptr && !is_known && given[at].name() != nullptr && !given[at].swapped) {
            fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of %s", here.function, here.argument,
                 choices_of(first, at).c_str(), given[at].name());
        }
        if (found == nullptr) return *fitting;
        fitting = found;
    }
    return *fitting;
}

}  // namespace transpile
