#include "CLatchkeyCurl.h"

#include <dlfcn.h>
#include <stddef.h>

/// The version of the interface, which libcurl has kept since 2006. On Debian it is in the package libcurl4.
static const char *const library_name = "libcurl.so.4";

/// The functions of the library, with the types of its header.
static struct {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_easy_init) easy_init;
    __typeof__(&curl_easy_cleanup) easy_cleanup;
    __typeof__(&curl_easy_reset) easy_reset;
    __typeof__(&curl_easy_perform) easy_perform;
    __typeof__(&curl_easy_strerror) easy_strerror;
    __typeof__(&curl_easy_setopt) easy_setopt;
    __typeof__(&curl_easy_getinfo) easy_getinfo;
    __typeof__(&curl_slist_append) slist_append;
    __typeof__(&curl_slist_free_all) slist_free_all;
    __typeof__(&curl_multi_init) multi_init;
    __typeof__(&curl_multi_cleanup) multi_cleanup;
    __typeof__(&curl_multi_add_handle) multi_add_handle;
    __typeof__(&curl_multi_remove_handle) multi_remove_handle;
    __typeof__(&curl_multi_perform) multi_perform;
    __typeof__(&curl_multi_poll) multi_poll;
    __typeof__(&curl_multi_info_read) multi_info_read;
} curl;

#define FIND(name) ((*(void **)&curl.name = dlsym(library, "curl_" #name)) != NULL)

const char *lk_curl_load(void) {
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
    int has_all = FIND(global_init) && FIND(easy_init) && FIND(easy_cleanup) && FIND(easy_reset) && FIND(easy_perform) &&
                  FIND(easy_strerror) && FIND(easy_setopt) && FIND(easy_getinfo) && FIND(slist_append) &&
                  FIND(slist_free_all) && FIND(multi_init) && FIND(multi_cleanup) && FIND(multi_add_handle) &&
                  FIND(multi_remove_handle) && FIND(multi_perform) && FIND(multi_poll) && FIND(multi_info_read);
    if (!has_all) return dlerror();
    return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "libcurl.so.4 does not start";
}

CURL *lk_curl_make(void) { return curl.easy_init(); }
void lk_curl_free(CURL *handle) { curl.easy_cleanup(handle); }
void lk_curl_reset(CURL *handle) { curl.easy_reset(handle); }
CURLcode lk_curl_perform(CURL *handle) { return curl.easy_perform(handle); }
const char *lk_curl_text(CURLcode outcome) { return curl.easy_strerror(outcome); }

struct curl_slist *lk_curl_append(struct curl_slist *list, const char *text) { return curl.slist_append(list, text); }
void lk_curl_free_list(struct curl_slist *list) { curl.slist_free_all(list); }

CURLcode lk_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode lk_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode lk_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode lk_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode lk_curl_set_bytes(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_NOCOPY};
    return curl.easy_setopt(handle, option, &blob);
}

CURLcode lk_curl_set_receiver(CURL *handle, lk_curl_receiver receiver, void *context) {
    CURLcode outcome = curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, receiver);
    return outcome != CURLE_OK ? outcome : curl.easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

long lk_curl_status(CURL *handle) {
    long status = 0;
    return curl.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

long lk_curl_sent_bytes(CURL *handle) {
    long count = 0;
    return curl.easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &count) == CURLE_OK ? count : 0;
}

CURLM *lk_curl_multi_make(void) { return curl.multi_init(); }
void lk_curl_multi_free(CURLM *handle) { (void)curl.multi_cleanup(handle); }
CURLMcode lk_curl_multi_add(CURLM *handle, CURL *transfer) { return curl.multi_add_handle(handle, transfer); }
CURLMcode lk_curl_multi_remove(CURLM *handle, CURL *transfer) { return curl.multi_remove_handle(handle, transfer); }
CURLMcode lk_curl_multi_perform(CURLM *handle, int *running) { return curl.multi_perform(handle, running); }

CURLMcode lk_curl_poll(CURLM *handle, int descriptor, int milliseconds) {
    struct curl_waitfd waited = {.fd = descriptor, .events = CURL_WAIT_POLLIN};
    return curl.multi_poll(handle, descriptor < 0 ? NULL : &waited, descriptor < 0 ? 0 : 1, milliseconds, NULL);
}

int lk_curl_has_ended(CURLM *handle, CURLcode *outcome) {
    int left = 0;
    for (CURLMsg *message; (message = curl.multi_info_read(handle, &left)) != NULL;) {
        if (message->msg == CURLMSG_DONE) {
            *outcome = message->data.result;
            return 1;
        }
    }
    return 0;
}
