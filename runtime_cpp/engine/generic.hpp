// Which instance of a generic function a call means: the one that has the element types of its arrays.
#pragma once

#include "arrays.hpp"
#include "callable.hpp"

namespace transpile {

class instances_by_type {
public:
    instances_by_type(const callable &first, PyObject *const *matched, driver *gpu)
        : first(first), matched(matched), gpu(gpu), given(first.count()) {}

    // The instance for the arguments. Where none fits an array that is one, its own checks say what is wrong with it.
    // Raises TypeError where no instance that fits the arrays before has the elements of one.
    const callable &choose() {
        const callable *fitting = &first;
        for (int at = 0; at < first.count(); ++at) {
            if (!is_generic(at)) continue;
            const place here = {first.row->name, first.row->parameters.first[at].name};
            given[at] = array().look(matched[at], here, gpu);
            const callable *found = find(at + 1);
            if (found == nullptr && given[at].name() != nullptr && !given[at].swapped) {
                fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of %s", here.function,
                     here.argument, choices(at).c_str(), given[at].name());
            }
            if (found == nullptr) break;
            fitting = found;
        }
        return *fitting;
    }

private:
    const callable &first;
    PyObject *const *const matched;
    driver *const gpu;
    small<element, 8> given;

    static dtype type_of(const callable &each, int at) { return each.row->parameters.first[at].dtype; }

    // Whether it is a pointer whose elements are of another type in some other instance.
    bool is_generic(int at) const {
        const kind wanted = first.row->parameters.first[at].kind;
        if (wanted != kind::pointer && wanted != kind::const_pointer) return false;
        for (const callable *each = first.next.get(); each != nullptr; each = each->next.get()) {
            if (type_of(*each, at) != type_of(first, at)) return true;
        }
        return false;
    }

    bool fits(const callable &each, int count) {
        for (int at = 0; at < count; ++at) {
            if (is_generic(at) && !given[at].is(row_of(type_of(each, at)))) return false;
        }
        return true;
    }

    // The first that fits the first `count` arguments, or null.
    const callable *find(int count) {
        const callable *each = &first;
        while (each != nullptr && !fits(*each, count)) each = each->next.get();
        return each;
    }

    // What a parameter may be of where the arguments before it are as they are: "float16 or float32".
    std::string choices(int at) {
        std::string text;
        for (const callable *each = &first; each != nullptr; each = each->next.get()) {
            const std::string name = row_of(type_of(*each, at)).name;
            if (fits(*each, at) && text.find(name) == std::string::npos) text += (text.empty() ? "" : " or ") + name;
        }
        return text;
    }
};

}  // namespace transpile
