/*
 * Writes CIFAR-like records with liblmdb, the peer of Tandem's own writer: same records, same
 * commits, same fsync (liblmdb's default). Prints the seconds from opening the environment to
 * having closed it; making the pixels costs nothing, they come from a pool that is made before.
 *
 * Usage: lmdb_write FOLDER RECORDS COMMIT_EVERY KEY_DIGITS
 */
#include <lmdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define PIXELS 3072
#define POOL (16 << 20)
#define VALUE (9 + PIXELS + 2)

static void check(int code, const char *what) {
  if (code != 0) {
    fprintf(stderr, "%s: %s\n", what, mdb_strerror(code));
    exit(1);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

/* SplitMix64, as dev.tandem.bench.PooledRecords fills its pool. */
static unsigned char *make_pool(void) {
  uint64_t *pool = malloc(POOL);
  uint64_t state = 1;
  for (size_t i = 0; i < POOL / 8; i++) {
    uint64_t z;
    state += 0x9E3779B97F4A7C15ull;
    z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    pool[i] = z ^ (z >> 31);
  }
  return (unsigned char *) pool;
}

int main(int argc, char **argv) {
  /* A Datum up to its pixels: channels 3, height 32, width 32, 3072 bytes of data. */
  static const unsigned char head[9] = {0x08, 3, 0x10, 32, 0x18, 32, 0x22, 0x80, 0x18};
  unsigned char value[VALUE];
  unsigned char *pool;
  long long records, commit_every, i;
  int key_digits;
  double began;
  MDB_env *environment;
  MDB_txn *transaction = NULL;
  MDB_dbi database;

  if (argc != 5) {
    fprintf(stderr, "usage: lmdb_write FOLDER RECORDS COMMIT_EVERY KEY_DIGITS\n");
    return 2;
  }
  records = atoll(argv[2]);
  commit_every = atoll(argv[3]);
  key_digits = atoi(argv[4]);
  pool = make_pool();
  memcpy(value, head, sizeof head);
  value[VALUE - 2] = 0x28;
  if (mkdir(argv[1], 0777) != 0) {
    perror(argv[1]);
    return 1;
  }

  began = now();
  check(mdb_env_create(&environment), "mdb_env_create");
  check(mdb_env_set_mapsize(environment, (size_t) records * 6000 + (64 << 20)), "mapsize");
  check(mdb_env_open(environment, argv[1], 0, 0664), "mdb_env_open");
  check(mdb_txn_begin(environment, NULL, 0, &transaction), "mdb_txn_begin");
  check(mdb_dbi_open(transaction, NULL, 0, &database), "mdb_dbi_open");
  for (i = 0; i < records; i++) {
    char key[24];
    MDB_val key_bytes, value_bytes;
    if (transaction == NULL) {
      check(mdb_txn_begin(environment, NULL, 0, &transaction), "mdb_txn_begin");
    }
    memcpy(value + sizeof head, pool + (i * 324024) % (POOL - PIXELS), PIXELS);
    value[VALUE - 1] = i % 10;
    key_bytes.mv_size = snprintf(key, sizeof key, "%0*lld", key_digits, i);
    key_bytes.mv_data = key;
    value_bytes.mv_size = VALUE;
    value_bytes.mv_data = value;
    check(mdb_put(transaction, database, &key_bytes, &value_bytes, 0), "mdb_put");
    if ((i + 1) % commit_every == 0) {
      check(mdb_txn_commit(transaction), "mdb_txn_commit");
      transaction = NULL;
    }
  }
  if (transaction != NULL) {
    check(mdb_txn_commit(transaction), "mdb_txn_commit");
  }
  mdb_env_close(environment);
  printf("%.6f\n", now() - began);
  return 0;
}
