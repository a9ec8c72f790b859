/* record_hash as a library for read_pylmdb.py. */
#include "record_checksum.h"

uint64_t hash_of(const char *key, size_t key_length, const char *value, size_t length) {
  return record_hash(key, key_length, value, length);
}
