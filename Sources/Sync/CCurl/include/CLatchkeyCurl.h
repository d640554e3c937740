#ifndef LATCHKEY_CURL_H
#define LATCHKEY_CURL_H

/* The easy and the multi interface of libcurl, which is loaded when it is needed: a program that has no use for a network has neither the
   library nor the twenty others that come with it. Swift cannot call functions with a variable number of arguments, so each kind of
   value has a function here. */

/* The checks of curl's macros want constant options. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef size_t (*lk_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

/* Loads the library and starts it. No other function may be called before. Returns NULL, or the reason why it cannot be loaded. Not to be called
   by two threads at once. */
const char *lk_curl_load(void);

CURL *lk_curl_make(void);
void lk_curl_free(CURL *handle);
void lk_curl_reset(CURL *handle);
CURLcode lk_curl_perform(CURL *handle);
const char *lk_curl_text(CURLcode outcome);
struct curl_slist *lk_curl_append(struct curl_slist *list, const char *text);
void lk_curl_free_list(struct curl_slist *list);

CURLcode lk_curl_set_number(CURL *handle, CURLoption option, long value);
CURLcode lk_curl_set_size(CURL *handle, CURLoption option, curl_off_t value);
/* The text is copied. NULL removes the value. */
CURLcode lk_curl_set_text(CURL *handle, CURLoption option, const char *value);
/* The value is not copied. */
CURLcode lk_curl_set_pointer(CURL *handle, CURLoption option, const void *value);
/* The bytes are not copied. */
CURLcode lk_curl_set_bytes(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode lk_curl_set_receiver(CURL *handle, lk_curl_receiver receiver, void *context);
long lk_curl_status(CURL *handle);
/* The bytes of the last request that were sent. 0 while there is no connection. */
long lk_curl_sent_bytes(CURL *handle);

CURLM *lk_curl_multi_make(void);
void lk_curl_multi_free(CURLM *handle);
CURLMcode lk_curl_multi_add(CURLM *handle, CURL *transfer);
CURLMcode lk_curl_multi_remove(CURLM *handle, CURL *transfer);
CURLMcode lk_curl_multi_perform(CURLM *handle, int *running);
/* Waits for the transfers of the handle and for a descriptor, which may be negative. */
CURLMcode lk_curl_poll(CURLM *handle, int descriptor, int milliseconds);
/* True if the only transfer of the handle has ended; then with its outcome. */
int lk_curl_has_ended(CURLM *handle, CURLcode *outcome);

#endif
