/*
 * CRC-32 by the processor's instruction for it, eight bytes at a time, as the JVM computes it by
 * default (its flag UseCryptoPmullForCRC32 is off).
 */
#include <arm_acle.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t crc_word(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, 8);
  return word;
}

static uint32_t crc_of(const void *data, size_t length) {
  const unsigned char *at = data;
  uint32_t crc = ~0u;
  for (; length >= 64; at += 64, length -= 64) {
#pragma GCC unroll 8
    for (int i = 0; i < 64; i += 8) {
      crc = __crc32d(crc, crc_word(at + i));
    }
  }
  for (; length >= 8; at += 8, length -= 8) {
    crc = __crc32d(crc, crc_word(at));
  }
  for (; length > 0; at++, length--) {
    crc = __crc32b(crc, *at);
  }
  return ~crc;
}
