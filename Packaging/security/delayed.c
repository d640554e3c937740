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

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void) { pthread_mutex_lock(&mutex); }
static void after_fork(void) { pthread_mutex_unlock(&mutex); }
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "libSecurity: %s\n", what != NULL ? what : "a library cannot be loaded");
    abort();
}

/* Several threads may find the functions at once. The linker has a lock of its own, and runs initialisers of other libraries
   under it, which may come here: none of ours may be held meanwhile. */
static void **found(const struct delayed_library *library) {
    void **functions = calloc(library->count, sizeof *functions);
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (functions == NULL || handle == NULL) fail(functions == NULL ? NULL : dlerror());
    for (uint64_t i = 0; i < library->count; i++) {
        functions[i] = dlsym(handle, library->names[i]);
        if (functions[i] == NULL) fail(dlerror());
    }
    return functions;
}

__attribute__((visibility("hidden"))) void latchkey_load_delayed(struct delayed_library *library) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    void **functions = found(library);
    pthread_mutex_lock(&mutex);
    if (!library->is_loaded) {
        if (mprotect(library->table, library->bytes, PROT_READ | PROT_WRITE) != 0) fail(NULL);
        /* Another thread may be calling through it. */
        for (uint64_t i = 0; i < library->count; i++) __atomic_store_n(&library->table[i], functions[i], __ATOMIC_RELEASE);
        if (mprotect(library->table, library->bytes, PROT_READ) != 0) fail(NULL);
        library->is_loaded = 1;
    }
    pthread_mutex_unlock(&mutex);
    free(functions);
}
