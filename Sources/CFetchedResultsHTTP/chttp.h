// The system's libmicrohttpd for Swift, and its variadic functions, which Swift can't call.

#ifndef FETCHEDRESULTS_CHTTP_H
#define FETCHEDRESULTS_CHTTP_H

#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>

// Starts a daemon without a thread of its own, on a socket that listens. It closes that socket when it stops.
static inline struct MHD_Daemon *frc_http_start(
    int socket, size_t head_bytes, unsigned int connections, unsigned int patience, MHD_AccessHandlerCallback handler,
    MHD_RequestCompletedCallback completed, void *context) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
      MHD_OPTION_LISTEN_SOCKET, socket,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, head_bytes,
      MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (size_t)512,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, patience,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_END);
}

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

#endif
