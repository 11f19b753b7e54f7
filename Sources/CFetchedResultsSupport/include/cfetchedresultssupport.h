// What Swift can't write itself, for all modules.

#ifndef FETCHEDRESULTS_CSUPPORT_H
#define FETCHEDRESULTS_CSUPPORT_H

// What a loop that waits for another processor does meanwhile.
static inline void frc_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb");
#endif
}

// Begins to load memory into the processor's cache, and doesn't wait for it. Any address will do, also one that is not mapped.
static inline void frc_prefetch(const void *start, long size) {
  for (long offset = 0; offset < size; offset += 64) __builtin_prefetch((const char *)start + offset, 0, 3);
}

// The same for the objects to which words of memory may refer: addresses as Swift stores them, and long texts, whose highest bit is
// set. A number that looks like one of these costs a little time and does no harm.
static inline void frc_prefetch_references(const void *start, long size) {
  const unsigned long *words = (const unsigned long *)start;
  for (long word = 0; word < size / (long)sizeof(unsigned long); word++) {
    unsigned long address = words[word] & ~(1ul << (8 * sizeof(unsigned long) - 1));
    if (address > 0xFFFF && (address & 15) == 0 && address >> 47 == 0) __builtin_prefetch((const void *)address, 0, 3);
  }
}

#endif
