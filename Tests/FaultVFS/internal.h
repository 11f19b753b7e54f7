#ifndef FETCHEDRESULTS_FAULTVFS_INTERNAL_H
#define FETCHEDRESULTS_FAULTVFS_INTERNAL_H

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

#include "faultvfs.h"

enum { sector_size = 512 };

/// A write, or with no data a truncation, that was not synced yet.
struct change {
  int64_t offset;
  size_t size;
  unsigned char *data;
};

/// What is known of a file: what the disk has for sure, and what may get there.
struct node {
  struct node *next;
  char *path;
  unsigned char *synced;
  size_t size;
  struct change *changes;
  size_t count, capacity;
  int is_named;    // whether its name is on the disk for sure
  int is_deleted;  // whether it was deleted, which may not be on the disk
};

struct faultvfs {
  sqlite3_vfs base;
  sqlite3_vfs *real;
  pthread_mutex_t mutex;
  // Faults
  unsigned calls;
  int fault, readers_only;
  int64_t nth, lasting, count, fired;
  unsigned fired_call;
  char suffix[64];
  uint64_t random;
  int opened;  // how many database files, ever
  // Power
  int notes, is_out;
  int64_t power_nth, power_count;
  struct node *nodes;
};

uint64_t faultvfs_random(uint64_t *state);

// All of these are called under the mutex.

struct node *power_node(faultvfs *vfs, const char *path);
void power_note(struct node *node, int64_t offset, size_t size, const void *data);
void power_synced(faultvfs *vfs, struct node *node);
void power_deleted(faultvfs *vfs, const char *path, int folder_synced);
void power_forget(faultvfs *vfs);

#endif
