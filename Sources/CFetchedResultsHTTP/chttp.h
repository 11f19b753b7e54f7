// The system's libmicrohttpd for Swift, and its variadic functions, which Swift can't call.

#ifndef FETCHEDRESULTS_CHTTP_H
#define FETCHEDRESULTS_CHTTP_H

#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

// What a daemon is started with.
struct frc_http_settings {
  int socket;
  size_t head_bytes;
  unsigned int connections, connections_per_address, patience;
  // PEM; NULL for no encryption. They must stay until the daemon has stopped.
  const char *certificate, *key;
};

// Decodes a part of a URL. One with a zero stays as it is: as a C string it would end there, and be another URL.
static inline size_t frc_http_unescape(void *context, struct MHD_Connection *connection, char *text) {
  (void)context, (void)connection;
  return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

// Starts a daemon without a thread of its own, on a socket that listens. It closes that socket when it stops.
static inline struct MHD_Daemon *frc_http_start(
    const struct frc_http_settings *settings, MHD_AccessHandlerCallback handler,
    MHD_NotifyConnectionCallback connected, MHD_RequestCompletedCallback completed, void *context) {
  struct MHD_OptionItem encryption[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
      {MHD_OPTION_END, 0, NULL}};
  unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  return MHD_start_daemon(
      settings->certificate ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, handler, context,
      MHD_OPTION_LISTEN_SOCKET, settings->socket,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, frc_http_unescape, NULL,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->head_bytes,
      MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (size_t)512,
      MHD_OPTION_CONNECTION_LIMIT, settings->connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings->connections_per_address,
      MHD_OPTION_CONNECTION_TIMEOUT, settings->patience,
      MHD_OPTION_NOTIFY_CONNECTION, connected, context,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_ARRAY, settings->certificate ? encryption : encryption + 3,
      MHD_OPTION_END);
}

static inline bool frc_http_can_encrypt(void) { return MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES; }

// What to wait for before MHD_run.
static inline int frc_http_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

// Whether the other end has closed its side of a connection.
static inline bool frc_http_is_closed(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (!info) return false;
  struct pollfd socket = {.fd = info->connect_fd, .events = 0x2000};  // POLLRDHUP, which needs _GNU_SOURCE
  return poll(&socket, 1, 0) > 0;
}

static inline unsigned int frc_http_connections(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

static inline int frc_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *frc_http_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

#endif
