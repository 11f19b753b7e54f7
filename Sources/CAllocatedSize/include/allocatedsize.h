#pragma once
#include <stddef.h>

// How many bytes the allocator reserved for an allocation. The header that declares this is in no module, and a
// statically linked program can't look the function up by its name.
#if defined(__APPLE__)
#include <malloc/malloc.h>
static inline size_t frc_allocated_size(const void *allocation) { return malloc_size(allocation); }
#else
#include <malloc.h>
static inline size_t frc_allocated_size(const void *allocation) { return malloc_usable_size((void *)allocation); }
#endif
