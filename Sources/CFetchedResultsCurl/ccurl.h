// The system's libcurl for Swift, and its variadic functions, which Swift can't call.

#ifndef FETCHEDRESULTS_CCURL_H
#define FETCHEDRESULTS_CCURL_H

#include <curl/curl.h>

// A GET of a URL that calls the functions with the context for each part of the body and each line of the head.
// NULL if there is no memory. It follows redirections, and speaks HTTP and HTTPS alone.
static inline CURL *frc_curl_get(
    const char *url, struct curl_slist *headers, long connect_milliseconds, curl_write_callback body,
    curl_write_callback head, void *context) {
  CURL *easy = curl_easy_init();
  if (!easy) return NULL;
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_milliseconds);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  return easy;
}

// Makes it a POST of a body, which curl copies. 0 if there is no memory.
static inline int frc_curl_post(CURL *easy, const void *body, size_t count) {
  curl_easy_setopt(easy, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body) == CURLE_OK;
}

static inline void frc_curl_trust(CURL *easy, const char *file) { curl_easy_setopt(easy, CURLOPT_CAINFO, file); }

// Limits the time of the whole transfer.
static inline void frc_curl_limit(CURL *easy, long milliseconds) {
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds);
}

static inline void frc_curl_proxy(CURL *easy, const char *proxy) { curl_easy_setopt(easy, CURLOPT_PROXY, proxy); }

// The next transfer that has ended, and how; NULL if none has. The context is that of frc_curl_get.
static inline CURL *frc_curl_ended(CURLM *multi, int *code, void **context) {
  int rest = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &rest))) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    CURL *easy = message->easy_handle;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, context);
    return easy;
  }
  return NULL;
}

#endif
