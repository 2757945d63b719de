// <type_traits> as NVRTC is given it, which has no headers of its own: what emitted text uses of it.
#pragma once

namespace std {

template <typename T>
struct type_identity {
    using type = T;
};

// Of one type alone: a parameter whose type is not deduced.
template <typename T>
using common_type_t = typename type_identity<T>::type;

template <bool Holds, typename T, typename>
struct conditional : type_identity<T> {};
template <typename T, typename Other>
struct conditional<false, T, Other> : type_identity<Other> {};
template <bool Holds, typename T, typename Other>
using conditional_t = typename conditional<Holds, T, Other>::type;

template <typename T, typename Other>
constexpr bool is_same_v = false;
template <typename T>
constexpr bool is_same_v<T, T> = true;

template <typename T>
struct make_unsigned : type_identity<T> {};
template <>
struct make_unsigned<signed char> : type_identity<unsigned char> {};
template <>
struct make_unsigned<short> : type_identity<unsigned short> {};
template <>
struct make_unsigned<int> : type_identity<unsigned int> {};
template <>
struct make_unsigned<long> : type_identity<unsigned long> {};
template <typename T>
using make_unsigned_t = typename make_unsigned<T>::type;

// Of arithmetic types alone: a half is neither 0 nor 1 only among the floats.
template <typename T>
constexpr bool is_floating_point_v = T(0.5) != T(0) && T(0.5) != T(1);

template <typename T>
constexpr bool is_integral_v = !is_floating_point_v<T>;

}  // namespace std
