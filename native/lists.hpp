// Lists, pairs of them and maps of Python on their way in, lists on their way out.
//
// nanobind's own casters copy a list while they look whether it fits, where nothing may be thrown:
// for want of memory they end the process. These copy it when the function is called.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <map>
#include <utility>
#include <vector>

namespace nanobind::detail {

// The C++ value of an element; TypeError if it has none.
template <typename Entry>
Entry element(handle item, uint32_t flags, cleanup_list* cleanup) {
    make_caster<Entry> caster;
    if (!caster.from_python(item, flags_for_local_caster<Entry>(flags), cleanup) ||
        !caster.template can_cast<Entry>()) {
        if (PyErr_Occurred()) throw python_error();
        throw type_error("a list has an element of another type, or out of range");
    }
    return caster.operator cast_t<Entry>();
}

template <typename Entry>
struct type_caster<std::vector<Entry>> {
    using Value = std::vector<Entry>;
    template <typename T>
    using Cast = Value;
    static constexpr auto Name = io_name("collections.abc.Sequence", "list") + const_name("[") +
                                 make_caster<Entry>::Name + const_name("]");

    bool from_python(handle given, uint32_t given_flags, cleanup_list* given_cleanup) noexcept {
        source = given;
        flags = given_flags;
        cleanup = given_cleanup;
        PyObject* list = given.ptr();
        return PySequence_Check(list) && !PyUnicode_Check(list) && !PyBytes_Check(list);
    }

    template <typename T>
    bool can_cast() const noexcept {
        return true;
    }

    explicit operator Value() {
        const object items = steal(PySequence_Fast(source.ptr(), "expected a list"));
        if (!items.is_valid()) throw python_error();
        Value list;
        list.reserve(static_cast<size_t>(PySequence_Fast_GET_SIZE(items.ptr())));
        // Asked every time: what makes a number of an element may be Python that changes the list.
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
            list.push_back(
                element<Entry>(borrow(PySequence_Fast_GET_ITEM(items.ptr(), i)), flags, cleanup));
        return list;
    }

    template <typename T>
    static handle from_cpp(T&& given, rv_policy policy, cleanup_list* given_cleanup) {
        object list = steal(PyList_New(static_cast<Py_ssize_t>(given.size())));
        if (!list.is_valid()) return {};
        Py_ssize_t place = 0;
        for (auto&& item : given) {
            const handle made =
                make_caster<Entry>::from_cpp(forward_like_<T>(item), policy, given_cleanup);
            if (!made.is_valid()) return {};
            PyList_SET_ITEM(list.ptr(), place++, made.ptr());
        }
        return list.release();
    }

    handle source;
    uint32_t flags = 0;
    cleanup_list* cleanup = nullptr;
};

template <typename Key, typename Entry>
struct type_caster<std::map<Key, Entry>> {
    using Value = std::map<Key, Entry>;
    template <typename T>
    using Cast = Value;
    static constexpr auto Name = io_name("collections.abc.Mapping", "dict") + const_name("[") +
                                 make_caster<Key>::Name + const_name(", ") +
                                 make_caster<Entry>::Name + const_name("]");

    bool from_python(handle given, uint32_t given_flags, cleanup_list* given_cleanup) noexcept {
        source = given;
        flags = given_flags;
        cleanup = given_cleanup;
        return PyDict_Check(given.ptr());
    }

    template <typename T>
    bool can_cast() const noexcept {
        return true;
    }

    explicit operator Value() {
        const object items = steal(PyDict_Items(source.ptr()));
        if (!items.is_valid()) throw python_error();
        Value map;
        for (auto& [key, entry] :
             element<std::vector<std::pair<Key, Entry>>>(items, flags, cleanup))
            map.emplace(std::move(key), std::move(entry));
        return map;
    }

    handle source;
    uint32_t flags = 0;
    cleanup_list* cleanup = nullptr;
};

}  // namespace nanobind::detail
