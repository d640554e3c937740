/* Loads a library when one of its functions is called for the first time, and fills the table through which all calls go.
   The table is read-only before and after, as it would be in a program that the dynamic linker filled at its start. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Of Scripts/delay-libraries. The table begins and ends with a page. */
struct delayed_library {
    const char *file;
    const char *const *names;
    void **table;
    uint64_t count;
    uint64_t bytes;
    uint64_t is_loaded;
};

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "libSecurity: %s\n", what != NULL ? what : "a library cannot be loaded");
    abort();
}

__attribute__((visibility("hidden"))) void latchkey_load_delayed(struct delayed_library *library) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    if (!library->is_loaded) {
        void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL) fail(dlerror());
        if (mprotect(library->table, library->bytes, PROT_READ | PROT_WRITE) != 0) fail(NULL);
        for (uint64_t i = 0; i < library->count; i++) {
            void *function = dlsym(handle, library->names[i]);
            if (function == NULL) fail(dlerror());
            /* Another thread may be calling through it. */
            __atomic_store_n(&library->table[i], function, __ATOMIC_RELEASE);
        }
        if (mprotect(library->table, library->bytes, PROT_READ) != 0) fail(NULL);
        library->is_loaded = 1;
    }
    pthread_mutex_unlock(&mutex);
}
