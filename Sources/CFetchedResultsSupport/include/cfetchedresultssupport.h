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

#endif
