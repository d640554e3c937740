#ifndef LATCHKEY_FINDINGS_H
#define LATCHKEY_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether somebody wants to hear of uses of CommonCrypto: not 0 if so. Written here, read through the function below. */
extern int lk_findings_listeners;

/* One relaxed load. */
static inline bool lk_findings_on(void) { return __atomic_load_n(&lk_findings_listeners, __ATOMIC_RELAXED) != 0; }

/* One listener more. */
void lk_findings_begin(void);
/* One listener less. */
void lk_findings_end(void);

/* Whether the environment asked for a log (LATCHKEY_CRYPTO_FINDINGS: "stderr", or the path of a file) when the program
   was loaded. Such a process counts as a listener from then on. */
bool lk_findings_logged(void);

/* Writes one line, all at once. The file was opened when the program was loaded; one that could not be, or that is none (a
   pipe, a link), gets nothing, and standard error one line that says so. */
void lk_findings_write(const char *line, size_t count);

/* The return addresses of the calls that led here, the latest first; how many there are. */
size_t lk_call_addresses(uintptr_t *addresses, size_t capacity);

/* Writes the name of a function of Swift's as source code has it, cut where there is no room. False for other names. */
bool lk_symbol_readable(const char *name, char *text, size_t capacity);

/* The name, from the symbols of its file, of the function that holds the call before `address`; false if there is no
   symbol, or if the name does not fit. */
bool lk_call_function(uintptr_t address, char *name, size_t capacity);

/* Writes the first caller outside of CommonCrypto as text: its function if the program says what it is called, the
   program's or library's name, and where in it. Without names of functions, also the places that led there. */
void lk_call_describe(const uintptr_t *addresses, size_t count, char *text, size_t capacity);

#endif
