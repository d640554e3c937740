#ifndef LATCHKEY_FINDINGS_H
#define LATCHKEY_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of observers of CommonCrypto's use. Written here, read through the function below. */
extern int lk_findings_listeners;

/* One relaxed load. */
static inline bool lk_findings_on(void) { return __atomic_load_n(&lk_findings_listeners, __ATOMIC_RELAXED) != 0; }

/* Adds a listener. */
void lk_findings_begin(void);
/* Removes a listener. */
void lk_findings_end(void);

/* True if the environment asked for a log (LATCHKEY_CRYPTO_FINDINGS: "stderr", or the path of a file) when the program
   was loaded. Such a process counts as a listener from then on. */
bool lk_findings_logged(void);

/* Writes one line, all at once. The file was opened when the program was loaded; if that failed, or it is not a regular
   file (a pipe, a link), standard error gets one line that says so. */
void lk_findings_write(const char *line, size_t count);

/* The return addresses of the calls that led here, the latest first; returns their number. */
size_t lk_call_addresses(uintptr_t *addresses, size_t capacity);

/* Writes the name of a Swift function as in source code, cut to the capacity. False for other names. */
bool lk_symbol_readable(const char *name, char *text, size_t capacity);

/* The name, from the symbols of its file, of the function that holds the call before `address`; false if there is no
   symbol, or if the name does not fit. */
bool lk_call_function(uintptr_t address, char *name, size_t capacity);

/* Writes the first caller outside of CommonCrypto as text: its function if that has a symbol, the name of the program
   or library, and the offset in it. Without symbols, also the addresses that led there. */
void lk_call_describe(const uintptr_t *addresses, size_t count, char *text, size_t capacity);

#endif
