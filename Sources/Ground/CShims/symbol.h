#ifndef LATCHKEY_SYMBOL_H
#define LATCHKEY_SYMBOL_H

#include <stdint.h>

/* Where an address lies in the programs and libraries of the process. */
struct lk_symbol {
    /* The file's last name; NULL if nobody knows the address. */
    const char *image;
    /* The first address of the image, and how far the address is from it. */
    uintptr_t base, offset;
    /* The image is the program itself. */
    int is_program;
    /* The function as the file has it, copied, or empty; and how far the address is from its beginning. */
    char function[512];
    uintptr_t into;
};

void lk_symbol_find(uintptr_t address, struct lk_symbol *symbol);

#endif
