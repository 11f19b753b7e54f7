#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct file {
  sqlite3_file base;
  faultvfs *vfs;
  sqlite3_file *real;
  const char *path;  // SQLite's, as long as the file is open
  struct node *node;
  int is_first;
};

#define OF(f) ((struct file *)(f))
#define REAL(f) (OF(f)->real)

uint64_t faultvfs_random(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), part = strlen(end);
  return length >= part && strcmp(text + length - part, end) == 0;
}

/// What a call is to do: the fault, or faultvfs_nothing. Under the mutex.
static int decide(faultvfs *vfs, unsigned call, const char *path, int is_first) {
  if (vfs->notes) {
    unsigned leaving = faultvfs_write | faultvfs_sync | faultvfs_truncate | faultvfs_delete;
    if (call & leaving && ++vfs->power_count == vfs->power_nth) vfs->is_out = 1;
    if (vfs->is_out) return faultvfs_ioerr;
  }
  if (!(vfs->calls & call) || (vfs->readers_only && is_first)) return faultvfs_nothing;
  if (vfs->suffix[0] && !(path && ends_with(path, vfs->suffix))) return faultvfs_nothing;
  vfs->count++;
  if (vfs->fault == faultvfs_nothing || vfs->count < vfs->nth) return faultvfs_nothing;
  if (vfs->count - vfs->nth >= vfs->lasting) return faultvfs_nothing;
  if (vfs->fired++ == 0) vfs->fired_call = call;
  return vfs->fault;
}

static int fault_of(sqlite3_file *file, unsigned call) {
  faultvfs *vfs = OF(file)->vfs;
  pthread_mutex_lock(&vfs->mutex);
  int fault = decide(vfs, call, OF(file)->path, OF(file)->is_first);
  pthread_mutex_unlock(&vfs->mutex);
  return fault;
}

// MARK: Files

static int file_close(sqlite3_file *file) {
  return REAL(file)->pMethods->xClose(REAL(file));
}

static int file_read(sqlite3_file *file, void *into, int size, sqlite3_int64 offset) {
  int fault = fault_of(file, faultvfs_read);
  if (fault == faultvfs_nothing) return REAL(file)->pMethods->xRead(REAL(file), into, size, offset);
  // Not SQLITE_IOERR_SHORT_READ, which says that the file ends here and is no failure to SQLite: the system says so of
  // a file that ends there, and never of one that can't be read.
  if (fault == faultvfs_short) REAL(file)->pMethods->xRead(REAL(file), into, size / 2, offset);
  return SQLITE_IOERR_READ;
}

static int real_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 offset) {
  int code = REAL(file)->pMethods->xWrite(REAL(file), data, size, offset);
  if (code == SQLITE_OK && OF(file)->node) power_note(OF(file)->node, offset, (size_t)size, data);
  return code;
}

static int file_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 offset) {
  faultvfs *vfs = OF(file)->vfs;
  pthread_mutex_lock(&vfs->mutex);
  int code = SQLITE_IOERR_WRITE;
  switch (decide(vfs, faultvfs_write, OF(file)->path, OF(file)->is_first)) {
    case faultvfs_nothing: code = real_write(file, data, size, offset); break;
    case faultvfs_full: code = SQLITE_FULL; break;
    case faultvfs_short:
      real_write(file, data, size / 2, offset);
      code = SQLITE_FULL;
      break;
    case faultvfs_torn:
      for (int from = 0; from < size; from += sector_size) {
        int part = size - from < sector_size ? size - from : sector_size;
        uint64_t choice = faultvfs_random(&vfs->random);
        if (choice % 4 == 0) part = (int)(choice / 4 % (uint64_t)(part + 1));
        if (choice % 2 == 0) real_write(file, (const char *)data + from, part, offset + from);
      }
      break;
    default: break;
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  faultvfs *vfs = OF(file)->vfs;
  pthread_mutex_lock(&vfs->mutex);
  int code = SQLITE_IOERR_TRUNCATE;
  if (decide(vfs, faultvfs_truncate, OF(file)->path, OF(file)->is_first) == faultvfs_nothing) {
    code = REAL(file)->pMethods->xTruncate(REAL(file), size);
    if (code == SQLITE_OK && OF(file)->node) power_note(OF(file)->node, size, 0, NULL);
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

/// The disk is not waited for: nobody's power is lost but what is simulated.
static int file_sync(sqlite3_file *file, int flags) {
  (void)flags;
  faultvfs *vfs = OF(file)->vfs;
  pthread_mutex_lock(&vfs->mutex);
  int fault = decide(vfs, faultvfs_sync, OF(file)->path, OF(file)->is_first);
  if (fault == faultvfs_nothing && OF(file)->node) power_synced(vfs, OF(file)->node);
  pthread_mutex_unlock(&vfs->mutex);
  return fault == faultvfs_nothing ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  if (fault_of(file, faultvfs_read) != faultvfs_nothing) return SQLITE_IOERR_FSTAT;
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  int fault = fault_of(file, faultvfs_lock);
  if (fault != faultvfs_nothing) return fault == faultvfs_busy ? SQLITE_BUSY : SQLITE_IOERR_LOCK;
  return REAL(file)->pMethods->xLock(REAL(file), level);
}

// To give a lock back can't fail in any way that a program could do something about.
static int file_unlock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xUnlock(REAL(file), level); }

static int file_check_reserved_lock(sqlite3_file *file, int *result) {
  if (fault_of(file, faultvfs_lock) != faultvfs_nothing) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }

static int file_characteristics(sqlite3_file *file) {
  return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  int fault = fault_of(file, faultvfs_shm);
  if (fault != faultvfs_nothing) {
    *memory = NULL;
    return fault == faultvfs_full ? SQLITE_IOERR_SHMSIZE : SQLITE_IOERR_SHMMAP;
  }
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  if (flags & SQLITE_SHM_LOCK) {
    int fault = fault_of(file, faultvfs_shm);
    if (fault != faultvfs_nothing) return fault == faultvfs_busy ? SQLITE_BUSY : SQLITE_IOERR_SHMLOCK;
  }
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), deletes);
}

static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_check_reserved_lock, file_control, file_sector_size, file_characteristics, file_shm_map, file_shm_lock,
    file_shm_barrier, file_shm_unmap, NULL, NULL};

// MARK: The file system

static int vfs_open(sqlite3_vfs *base, sqlite3_filename path, sqlite3_file *file, int flags, int *out) {
  faultvfs *vfs = (faultvfs *)base;
  struct file *self = OF(file);
  memset(self, 0, sizeof *self);
  self->vfs = vfs;
  self->real = (sqlite3_file *)(self + 1);
  self->path = path;
  pthread_mutex_lock(&vfs->mutex);
  int is_first = flags & SQLITE_OPEN_MAIN_DB && vfs->opened == 0;
  int code = SQLITE_CANTOPEN;
  if (decide(vfs, faultvfs_open, path, is_first) == faultvfs_nothing) {
    int tracked = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
    if (vfs->notes && path && flags & tracked) self->node = power_node(vfs, path);
    code = vfs->real->xOpen(vfs->real, path, self->real, flags, out);
  }
  if (code == SQLITE_OK) {
    self->is_first = is_first;
    if (flags & SQLITE_OPEN_MAIN_DB) vfs->opened++;
    file->pMethods = &methods;
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int vfs_delete(sqlite3_vfs *base, const char *path, int sync_folder) {
  faultvfs *vfs = (faultvfs *)base;
  pthread_mutex_lock(&vfs->mutex);
  int code = SQLITE_IOERR_DELETE;
  if (decide(vfs, faultvfs_delete, path, 0) == faultvfs_nothing) {
    // Before it is gone: what was synced of a file that is seen for the first time is read from it.
    if (vfs->notes) power_deleted(vfs, path, sync_folder);
    code = vfs->real->xDelete(vfs->real, path, 0);
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int vfs_access(sqlite3_vfs *base, const char *path, int flags, int *result) {
  faultvfs *vfs = (faultvfs *)base;
  pthread_mutex_lock(&vfs->mutex);
  int fault = decide(vfs, faultvfs_open, path, 0);
  pthread_mutex_unlock(&vfs->mutex);
  return fault == faultvfs_nothing ? vfs->real->xAccess(vfs->real, path, flags, result) : SQLITE_IOERR_ACCESS;
}

faultvfs *faultvfs_make(const char *name) {
  sqlite3_vfs *real = sqlite3_vfs_find(NULL);
  faultvfs *vfs = real ? calloc(1, sizeof *vfs) : NULL;
  if (!vfs) return NULL;
  vfs->base = *real;
  vfs->base.pNext = NULL;
  vfs->base.szOsFile = (int)sizeof(struct file) + real->szOsFile;
  vfs->base.zName = strdup(name);
  vfs->base.xOpen = vfs_open;
  vfs->base.xDelete = vfs_delete;
  vfs->base.xAccess = vfs_access;
  vfs->real = real;
  pthread_mutex_init(&vfs->mutex, NULL);
  if (vfs->base.zName && sqlite3_vfs_register(&vfs->base, 0) == SQLITE_OK) return vfs;
  free((char *)vfs->base.zName);
  free(vfs);
  return NULL;
}

void faultvfs_free(faultvfs *vfs) {
  power_forget(vfs);
  sqlite3_vfs_unregister(&vfs->base);
  pthread_mutex_destroy(&vfs->mutex);
  free((char *)vfs->base.zName);
  free(vfs);
}

// MARK: What tests set and ask

void faultvfs_arm(
    faultvfs *vfs, unsigned calls, int fault, int64_t nth, int64_t lasting, const char *suffix, int readers_only,
    uint64_t seed) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->calls = calls;
  vfs->fault = fault;
  vfs->nth = nth;
  vfs->lasting = lasting;
  vfs->readers_only = readers_only;
  vfs->random = seed;
  vfs->count = vfs->fired = 0;
  vfs->fired_call = 0;
  vfs->suffix[0] = 0;
  if (suffix) strncpy(vfs->suffix, suffix, sizeof vfs->suffix - 1);
  pthread_mutex_unlock(&vfs->mutex);
}

void faultvfs_disarm(faultvfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->fault = faultvfs_nothing;
  pthread_mutex_unlock(&vfs->mutex);
}

void faultvfs_power(faultvfs *vfs, int64_t nth) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->notes = 1;
  vfs->is_out = 0;
  vfs->power_nth = nth;
  vfs->power_count = 0;
  pthread_mutex_unlock(&vfs->mutex);
}

void faultvfs_power_now(faultvfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->power_nth = vfs->power_count + 1;
  pthread_mutex_unlock(&vfs->mutex);
}

#define GETTER(type, name, field)            \
  type name(faultvfs *vfs) {                 \
    pthread_mutex_lock(&vfs->mutex);         \
    type value = vfs->field;                 \
    pthread_mutex_unlock(&vfs->mutex);       \
    return value;                            \
  }

GETTER(int64_t, faultvfs_calls, count)
GETTER(int64_t, faultvfs_fired, fired)
GETTER(unsigned, faultvfs_fired_call, fired_call)
GETTER(int64_t, faultvfs_power_calls, power_count)
