#ifndef LATCHKEY_SECURITY_BORDER_H
#define LATCHKEY_SECURITY_BORDER_H

#include <stdbool.h>
#include <stddef.h>

// Calls of Core Foundation for Swift. Its module is hidden by the one of this package, so the few functions are declared
// by hand. Objects are untyped pointers.

#pragma clang assume_nonnull begin

/// Returns true if the object is of the type of dictionaries or arrays and holds a null pointer, at any of the first
/// levels of nesting.
bool lk_holds_null(const void *object);

/// Makes a dictionary that retains what it holds; to be released.
const void *lk_dictionary(const void *_Nonnull *_Nullable keys, const void *_Nonnull *_Nullable values, long count);

/// Makes an array that retains what it holds; to be released.
const void *lk_array(const void *_Nonnull *_Nullable values, long count);

/// Makes an error; to be released.
const void *lk_error(const void *domain, long code, const void *_Nullable information);

/// The one null object; to be released.
const void *lk_null(void);

void lk_release(const void *object);

/// Retains a block of C and returns it.
const void *lk_block_copy(const void *block);
void lk_block_release(const void *block);

/// Calls a block of one, two or three parameters.
void lk_block_call_object(const void *block, const void *_Nullable one);
void lk_block_call_objects(const void *block, const void *_Nullable one, const void *_Nullable two);
void lk_block_call_result(const void *block, const void *one, unsigned int two);
void lk_block_call_verdict(const void *block, const void *one, bool two, const void *_Nullable three);

/// Calls a function on a queue of libdispatch; NULL is one of the system's.
void lk_dispatch(const void *_Nullable queue, void *context, void (*work)(void *_Nullable context));

#pragma clang assume_nonnull end

#endif
