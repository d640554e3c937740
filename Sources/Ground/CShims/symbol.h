#ifndef LATCHKEY_SYMBOL_H
#define LATCHKEY_SYMBOL_H

#include <stdint.h>

/* The location of an address in the programs and libraries of the process. */
struct lk_symbol {
    /* The last component of the file's path; NULL for an unknown address. */
    const char *image;
    /* The first address of the image, and the offset of the address in it. */
    uintptr_t base, offset;
    /* The image is the program itself. */
    int is_program;
    /* A copy of the function's name in the file, or empty; and the offset of the address in it. */
    char function[512];
    uintptr_t into;
};

void lk_symbol_find(uintptr_t address, struct lk_symbol *symbol);

#endif
