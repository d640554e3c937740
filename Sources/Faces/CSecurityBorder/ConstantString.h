#ifndef LATCHKEY_CONSTANT_STRING_H
#define LATCHKEY_CONSTANT_STRING_H

#include <stdint.h>

// A string object of Core Foundation that the linker makes: constants are ready before the first line of a program runs,
// also for the constructors of C++. The layout is that of `struct __CFConstStr` in CFString.h. Unlike the count of that
// struct, this one never reaches zero: a program may release a constant once too often.

struct lk_constant_string {
    const void *isa;
    uint64_t swift_count;
    uint64_t info;
    const char *text;
    uint64_t length;
};

extern char lk_constant_string_class[] __asm__("$s10Foundation19_NSCFConstantStringCN");

#define LK_IMMORTAL 0x80000000FFFFFFFFu
#define LK_INFO 0x07C8u

/// Defines `extern const CFStringRef name`. The text is ASCII.
#define CONSTANT(name, content)                                                                      \
    static struct lk_constant_string name##_object = {                                               \
        lk_constant_string_class, LK_IMMORTAL, LK_INFO, content, sizeof(content) - 1,                \
    };                                                                                               \
    extern const void *const name;                                                                   \
    const void *const name = &name##_object;

#endif
