/* The checksum of Tandem's class RecordChecksum, for peers in C and, as a library, in Python. */
#ifdef __aarch64__
#include "crc32_arm.h"
#else
#include "crc32_x86.h"
#endif

static uint64_t record_hash(const void *key, size_t key_length, const void *value, size_t length) {
  uint64_t crcs = (uint64_t)crc_of(key, key_length) << 32 | crc_of(value, length);
  uint64_t hash = crcs * 0x9E3779B97F4A7C15u + length;
  hash = (hash ^ hash >> 32) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}
