/* The easy and the multi interface of libcurl. Swift cannot call functions with a variable number of arguments, so each
   kind of value has a function here. */
#ifndef LATCHKEY_CURL_SHIM_H
#define LATCHKEY_CURL_SHIM_H

/* The checks of curl's macros want constant options. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef size_t (*lk_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode lk_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode lk_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lk_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/* The text is copied. NULL removes the value. */
static inline CURLcode lk_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/* The value is not copied. */
static inline CURLcode lk_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/* The bytes are not copied. */
static inline CURLcode lk_curl_set_bytes(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_NOCOPY};
    return curl_easy_setopt(handle, option, &blob);
}

static inline CURLcode lk_curl_set_receiver(CURL *handle, lk_curl_receiver receiver, void *context) {
    CURLcode outcome = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receiver);
    return outcome != CURLE_OK ? outcome : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline long lk_curl_status(CURL *handle) {
    long status = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

/* Waits for the transfers of the handle and for a descriptor, which may be negative. */
static inline CURLMcode lk_curl_poll(CURLM *handle, int descriptor, int milliseconds) {
    struct curl_waitfd waited = {.fd = descriptor, .events = CURL_WAIT_POLLIN};
    return curl_multi_poll(handle, descriptor < 0 ? NULL : &waited, descriptor < 0 ? 0 : 1, milliseconds, NULL);
}

/* True if the only transfer of the handle has ended; then with its outcome. */
static inline int lk_curl_has_ended(CURLM *handle, CURLcode *outcome) {
    int left = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(handle, &left)) != NULL;) {
        if (message->msg == CURLMSG_DONE) {
            *outcome = message->data.result;
            return 1;
        }
    }
    return 0;
}

#endif
