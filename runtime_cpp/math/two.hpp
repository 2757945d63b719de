// What holds more than a float does.
#pragma once

// A number and what it lacks of what it stands for.
template <typename T>
struct two {
    T high, low;
};
