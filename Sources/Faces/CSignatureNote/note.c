#include "CLatchkeySignatureNote.h"

#include <stdint.h>

/* An ELF note, empty until `latchkey codesign` fills it. It stays in the file whatever the linker thinks of its use, and
   strip leaves notes alone. A name that begins with .note gives the section the type SHT_NOTE. */
struct latchkey_signature_note {
    uint32_t name_size;
    uint32_t descriptor_size;
    uint32_t type;
    char name[12];
    unsigned char descriptor[16 * 1024];
};

_Static_assert(sizeof(struct latchkey_signature_note) == 24 + 16 * 1024, "a note has no gaps");

#if defined(__has_attribute)
#if __has_attribute(retain)
#define LATCHKEY_RETAIN retain,
#endif
#endif
#ifndef LATCHKEY_RETAIN
#define LATCHKEY_RETAIN
#endif

__attribute__((used, LATCHKEY_RETAIN aligned(4), section(".note.latchkey.signature")))
static const struct latchkey_signature_note note = {
    .name_size = 9,
    .descriptor_size = sizeof note.descriptor,
    .type = 0x4C4B5331, /* "LKS1" */
    .name = "Latchkey",
};
