/* The checksum of Tandem's class RecordChecksum, for peers in C and, as a library, in Python. */
#include <nmmintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t next_word(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, 8);
  return word;
}

static uint64_t crc_of(const unsigned char *at, size_t length, uint64_t crc) {
  for (; length >= 8; at += 8, length -= 8) {
    crc = _mm_crc32_u64(crc, next_word(at));
  }
  for (; length > 0; at++, length--) {
    crc = _mm_crc32_u8((uint32_t)crc, *at);
  }
  return crc;
}

/* Three chains side by side: the instruction takes three cycles, one begins in each. */
static uint64_t record_hash(const void *key, size_t key_length, const void *value, size_t length) {
  const unsigned char *at = value;
  size_t part = (length / 3) & ~(size_t)7;
  const uint64_t ones = 0xFFFFFFFFu;
  uint64_t a = ones, b = ones, c = ones, k, hash;
  size_t i;
  for (i = 0; i < part; i += 8) {
    a = _mm_crc32_u64(a, next_word(at + i));
    b = _mm_crc32_u64(b, next_word(at + part + i));
    c = _mm_crc32_u64(c, next_word(at + 2 * part + i));
  }
  c = crc_of(at + 3 * part, length - 3 * part, c);
  k = crc_of(key, key_length, ones);
  a ^= ones, b ^= ones, c ^= ones, k ^= ones;
  hash = (k << 32 | a) * 0x9E3779B97F4A7C15u + (b << 32 | c) + length;
  hash = (hash ^ hash >> 32) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}
