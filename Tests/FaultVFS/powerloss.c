#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

static void *must(void *memory) {
  if (!memory) abort();
  return memory;
}

static void forget_changes(struct node *node) {
  for (size_t i = 0; i < node->count; i++) free(node->changes[i].data);
  node->count = 0;
}

static void forget(struct node *node) {
  forget_changes(node);
  free(node->changes);
  free(node->synced);
  free(node->path);
  free(node);
}

static void forget_if(faultvfs *vfs, int (*is_meant)(struct node *, const void *), const void *context) {
  struct node **place = &vfs->nodes;
  while (*place) {
    struct node *node = *place;
    if (is_meant(node, context)) {
      *place = node->next;
      forget(node);
    } else {
      place = &node->next;
    }
  }
}

/// The file of that name; what stands in it when it is first seen counts as synced.
struct node *power_node(faultvfs *vfs, const char *path) {
  for (struct node *node = vfs->nodes; node; node = node->next) {
    if (!node->is_deleted && strcmp(node->path, path) == 0) return node;
  }
  struct node *node = must(calloc(1, sizeof *node));
  node->path = must(strdup(path));
  struct stat status;
  if (stat(path, &status) == 0) {
    // Not by opening it: to close it would drop the locks that the process has on it. The database's own file is read
    // before anybody has locked it, and journals are never locked.
    node->is_named = 1;
    if (status.st_size > 0) {
      FILE *file = must(fopen(path, "rb"));
      node->synced = must(malloc((size_t)status.st_size));
      node->size = fread(node->synced, 1, (size_t)status.st_size, file);
      fclose(file);
    }
  }
  node->next = vfs->nodes;
  vfs->nodes = node;
  return node;
}

void power_note(struct node *node, int64_t offset, size_t size, const void *data) {
  if (node->count == node->capacity) {
    node->capacity = node->capacity * 2 + 16;
    node->changes = must(realloc(node->changes, node->capacity * sizeof *node->changes));
  }
  struct change *change = &node->changes[node->count++];
  *change = (struct change){offset, size, NULL};
  if (data) {
    change->data = must(malloc(size ? size : 1));
    memcpy(change->data, data, size);
  }
}

static void resize(struct node *node, size_t size) {
  if (size > node->size) {
    node->synced = must(realloc(node->synced, size));
    memset(node->synced + node->size, 0, size - node->size);
  }
  node->size = size;
}

static void put(struct node *node, int64_t offset, const unsigned char *data, size_t size) {
  size_t end = (size_t)offset + size;
  if (end > node->size) resize(node, end);
  memcpy(node->synced + offset, data, size);
}

static int is_deleted(struct node *node, const void *context) {
  (void)context;
  return node->is_deleted;
}

void power_synced(faultvfs *vfs, struct node *node) {
  for (size_t i = 0; i < node->count; i++) {
    struct change *change = &node->changes[i];
    if (change->data) {
      put(node, change->offset, change->data, change->size);
    } else {
      resize(node, (size_t)change->offset);
    }
  }
  forget_changes(node);
  // SQLite syncs the folder of a journal with it, the first time.
  if (!node->is_named) {
    node->is_named = 1;
    forget_if(vfs, is_deleted, NULL);
  }
}

void power_deleted(faultvfs *vfs, const char *path, int folder_synced) {
  struct node *node = power_node(vfs, path);
  node->is_deleted = 1;
  if (folder_synced || !node->is_named) forget_if(vfs, is_deleted, NULL);
}

/// Lets a random part of what was not synced get to the disk after all.
static void keep_some(struct node *node, uint64_t *random) {
  // Now and then all or nothing, which a random choice would never be once there is much.
  unsigned mood = faultvfs_random(random) % 4;
  for (size_t i = 0; i < node->count; i++) {
    struct change *change = &node->changes[i];
    if (!change->data) {
      if (mood == 1 || (mood > 1 && faultvfs_random(random) % 2)) resize(node, (size_t)change->offset);
      continue;
    }
    for (size_t from = 0; from < change->size;) {
      size_t place = (size_t)change->offset + from;
      size_t part = sector_size - place % sector_size;
      if (part > change->size - from) part = change->size - from;
      switch (mood == 0 ? 7 : mood == 1 ? 0 : faultvfs_random(random) % 8) {
        case 0: case 1: case 2: put(node, (int64_t)place, change->data + from, part); break;
        case 3: put(node, (int64_t)place, change->data + from, faultvfs_random(random) % (part + 1)); break;
        // The file has grown, and what was written to it has not come.
        case 4: if (place + part > node->size) resize(node, place + part); break;
        default: break;
      }
      from += part;
    }
  }
}

static void write_out(struct node *node) {
  unlink(node->path);
  FILE *file = must(fopen(node->path, "wb"));
  if (node->size && fwrite(node->synced, 1, node->size, file) != node->size) abort();
  fclose(file);
}

static int is_any(struct node *node, const void *context) {
  (void)node, (void)context;
  return 1;
}

void power_forget(faultvfs *vfs) { forget_if(vfs, is_any, NULL); }

void faultvfs_restore(faultvfs *vfs, uint64_t seed) {
  pthread_mutex_lock(&vfs->mutex);
  uint64_t random = seed;
  for (struct node *node = vfs->nodes; node; node = node->next) {
    if (node->is_deleted) continue;
    keep_some(node, &random);
    if (node->is_named || faultvfs_random(&random) % 2) write_out(node); else unlink(node->path);
  }
  for (struct node *node = vfs->nodes; node; node = node->next) {
    if (!node->is_deleted || access(node->path, F_OK) == 0 || faultvfs_random(&random) % 2) continue;
    keep_some(node, &random);
    write_out(node);
  }
  // Shared memory is memory.
  for (struct node *node = vfs->nodes; node; node = node->next) {
    char name[4096];
    if (snprintf(name, sizeof name, "%s-shm", node->path) < (int)sizeof name) unlink(name);
  }
  power_forget(vfs);
  vfs->notes = 0;
  vfs->is_out = 0;
  pthread_mutex_unlock(&vfs->mutex);
}
