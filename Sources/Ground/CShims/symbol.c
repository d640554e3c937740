#define _GNU_SOURCE
#include "symbol.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checks that `count` entries of `size` bytes at `offset` lie in a file of `length` bytes. */
static int lies_within(uint64_t offset, uint64_t count, uint64_t size, uint64_t length) {
    return size != 0 && offset <= length && count <= (length - offset) / size;
}

static void copy_name(char *into, const char *from, size_t longest) {
    size_t count = 0;
    while (count < longest && count + 1 < sizeof((struct lk_symbol *)0)->function && from[count] != 0) count++;
    memcpy(into, from, count);
    into[count] = 0;
}

/* Finds the function around `offset` of a file in its symbol table: the loader only knows exported symbols. */
static void look_up(const unsigned char *file, uint64_t length, uintptr_t offset, struct lk_symbol *symbol) {
    ElfW(Ehdr) header;
    if (length < sizeof header) return;
    memcpy(&header, file, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(ElfW(Shdr))) return;
    if (!lies_within(header.e_shoff, header.e_shnum, sizeof(ElfW(Shdr)), length)) return;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        ElfW(Shdr) table, strings;
        memcpy(&table, file + header.e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum) continue;
        memcpy(&strings, file + header.e_shoff + table.sh_link * sizeof strings, sizeof strings);
        uint64_t count = table.sh_size / sizeof(ElfW(Sym));
        if (!lies_within(table.sh_offset, count, sizeof(ElfW(Sym)), length)) return;
        if (!lies_within(strings.sh_offset, strings.sh_size, 1, length)) return;
        for (uint64_t j = 0; j < count; j++) {
            ElfW(Sym) entry;
            memcpy(&entry, file + table.sh_offset + j * sizeof entry, sizeof entry);
            if ((entry.st_info & 15) != STT_FUNC || entry.st_name >= strings.sh_size) continue;
            if (offset < entry.st_value || offset - entry.st_value >= entry.st_size) continue;
            copy_name(symbol->function, (const char *)file + strings.sh_offset + entry.st_name,
                      strings.sh_size - entry.st_name);
            symbol->into = offset - entry.st_value;
            return;
        }
    }
}

static void look_into(const char *path, uintptr_t offset, struct lk_symbol *symbol) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return;
    struct stat about;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        size_t length = (size_t)about.st_size;
        void *file = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (file != MAP_FAILED) {
            look_up(file, length, offset, symbol);
            munmap(file, length);
        }
    }
    close(descriptor);
}

void lk_symbol_find(uintptr_t address, struct lk_symbol *symbol) {
    Dl_info info;
    struct link_map *map = NULL;
    memset(symbol, 0, sizeof *symbol);
    if (dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || info.dli_fname == NULL) return;
    const char *slash = strrchr(info.dli_fname, '/');
    symbol->image = slash == NULL ? info.dli_fname : slash + 1;
    symbol->base = (uintptr_t)info.dli_fbase;
    /* The address in the file, for tools such as addr2line. */
    symbol->offset = address - (map == NULL ? symbol->base : (uintptr_t)map->l_addr);
    /* The program's own name may be a relative one, from a directory that it has left. */
    symbol->is_program = map != NULL && (map->l_name == NULL || map->l_name[0] == 0);
    look_into(symbol->is_program ? "/proc/self/exe" : info.dli_fname, symbol->offset, symbol);
    if (symbol->function[0] == 0 && info.dli_sname != NULL) {
        copy_name(symbol->function, info.dli_sname, sizeof symbol->function);
        symbol->into = address - (uintptr_t)info.dli_saddr;
    }
}
