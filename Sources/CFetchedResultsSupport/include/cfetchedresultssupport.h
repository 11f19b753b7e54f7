// What Swift can't write itself, for all modules.

#ifndef FETCHEDRESULTS_CSUPPORT_H
#define FETCHEDRESULTS_CSUPPORT_H

#include <stdint.h>

// What a loop that waits for another processor does meanwhile.
static inline void frc_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb");
#endif
}

// Begins to load memory into the processor's cache, and doesn't wait for it. The address may be one that is not mapped.
static inline void frc_prefetch(const void *start, long size) {
  for (long offset = 0; offset < size; offset += 64) __builtin_prefetch((const char *)start + offset, 0, 3);
}

// The same for the objects to which words of memory may refer. A word is an address, or the one of a long text, which
// has its highest bit set. A number that looks like an address costs a little time and does no harm. Where addresses
// have fewer than 64 bits, this does nothing.
static inline void frc_prefetch_references(const void *start, long size) {
#if UINTPTR_MAX > 0xFFFFFFFF
  const uint64_t *words = (const uint64_t *)start;
  for (long word = 0; word < size / (long)sizeof(uint64_t); word++) {
    uint64_t address = words[word] & ~(UINT64_C(1) << 63);
    if (address > 0xFFFF && (address & 15) == 0 && address >> 47 == 0) __builtin_prefetch((const void *)address, 0, 3);
  }
#endif
}

#endif
