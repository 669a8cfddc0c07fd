// What the parts of the Python face share: arrays in, arrays out, the control of a call.
//
// Arrays are taken as they are or not at all: .noconvert() everywhere, since a converted copy of
// an output would be filled and thrown away, and that of an input may say something else.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chain.hpp"
#include "control.hpp"
#include "lists.hpp"

namespace threesil {

namespace nb = nanobind;
using namespace nb::literals;

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T, int N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.shape(0)};
}

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> owned(std::vector<T> values) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    std::vector<T>& data = *kept;
    nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    kept.release();
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data.data(), {data.size()}, owner);
}

// (heads, arguments, start, steps); a step is (path, equation, left to right, values, result).
nb::typed<nb::tuple, nb::any, nb::ellipsis> to_tuple(const Chain& chain);

using Stop = std::shared_ptr<StopFlag>;

// Whether this is the thread that Python runs signal handlers in.
bool in_main_thread();

// Runs `work(control)` without Python's lock; a play or a pass that is stopped throws Ended.
template <typename Work>
auto controlled(const Stop& stop, double seconds, const Work& work) {
    if (std::isnan(seconds)) throw std::invalid_argument("seconds is not a number");
    Control control(stop, seconds, in_main_thread());
    const nb::gil_scoped_release release;
    return work(control);
}

void bind_problems(nb::module_& m);
void bind_network(nb::module_& m);
void bind_search(nb::module_& m);
void bind_batch(nb::module_& m);
void bind_completion(nb::module_& m);
void bind_laws(nb::module_& m);
void bind_selection(nb::module_& m);
void bind_tables(nb::module_& m);

}  // namespace threesil
