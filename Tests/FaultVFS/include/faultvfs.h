// A file system for SQLite that fails when it is told to, and one that loses power. Both are the default one with
// something in between, so the files are ordinary files. Every call counts, from whatever thread.

#ifndef FETCHEDRESULTS_FAULTVFS_H
#define FETCHEDRESULTS_FAULTVFS_H

#include <stdint.h>

typedef struct faultvfs faultvfs;

/// The calls that can fail, as a set.
enum {
  faultvfs_open = 1,
  faultvfs_read = 2,
  faultvfs_write = 4,
  faultvfs_sync = 8,
  faultvfs_lock = 16,
  faultvfs_truncate = 32,
  faultvfs_shm = 64,
  faultvfs_delete = 128,
  faultvfs_every = 255,
};

/// How a call fails.
enum {
  /// Not at all: it is only counted.
  faultvfs_nothing,
  /// The device fails: SQLITE_IOERR in the kind that belongs to the call, or SQLITE_CANTOPEN. Nothing is done.
  faultvfs_ioerr,
  /// The disk is full: a write returns SQLITE_FULL and writes nothing; other calls fail as in faultvfs_ioerr.
  faultvfs_full,
  /// Somebody else holds the lock: SQLITE_BUSY for a lock; otherwise as faultvfs_ioerr.
  faultvfs_busy,
  /// The first half of a write is done, then the disk is full; half of a read, then the device fails.
  faultvfs_short,
  /// A random part of a write's sectors is done, then the device fails.
  faultvfs_torn,
};

/// Registers a VFS of that name, which fails and loses nothing yet. NULL when it can't be made.
faultvfs *faultvfs_make(const char *name);

/// Takes it away again; no file may be open in it.
void faultvfs_free(faultvfs *vfs);

// Faults

/// Restarts the count, and makes the nth of these calls (1 is the first) fail, and the next `lasting` - 1.
///
/// `suffix` is how the names of the files end that this is about, as in "-wal"; NULL is all files. With `readers_only`,
/// what is done by way of the connection that was opened first goes well.
void faultvfs_arm(
    faultvfs *vfs, unsigned calls, int fault, int64_t nth, int64_t lasting, const char *suffix, int readers_only,
    uint64_t seed);

/// Lets everything go well again.
void faultvfs_disarm(faultvfs *vfs);

/// How many calls of the kinds that were asked for there have been since it was armed.
int64_t faultvfs_calls(faultvfs *vfs);

/// How many of them have failed.
int64_t faultvfs_fired(faultvfs *vfs);

/// The first of them: one of the calls above; 0 where none has failed.
unsigned faultvfs_fired_call(faultvfs *vfs);

// Loss of power

/// From now on notes what is written and what of it is synced. Power goes before the nth call that writes, syncs,
/// truncates or deletes (0: only with faultvfs_restore); then all calls fail and do nothing.
void faultvfs_power(faultvfs *vfs, int64_t nth);

/// Has power go before the next call that changes a file.
void faultvfs_power_now(faultvfs *vfs);

/// How many such calls there have been.
int64_t faultvfs_power_calls(faultvfs *vfs);

/// Makes the files what the disk has of them after the loss of power, when no file is open in it any more.
///
/// What was synced is there. Of the rest, each sector of 512 bytes is there, torn or not, at random: SQLite's
/// assumption that a write does not harm the bytes beside it holds, and no other. A file that was made and never
/// synced, or its name, may be gone; one that was deleted may be there again, unless its folder was synced since.
void faultvfs_restore(faultvfs *vfs, uint64_t seed);

#endif
