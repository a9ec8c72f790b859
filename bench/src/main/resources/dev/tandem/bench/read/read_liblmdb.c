/*
 * liblmdb's side of the reading benchmark: some processes read a database together.
 *
 *   read_liblmdb FOLDER strided  READERS BATCH ITERATIONS FLAGS
 *   read_liblmdb FOLDER shuffled READERS BATCH ITERATIONS FLAGS KEYS ORDER
 *
 * In every iteration the readers take BATCH records, each a contiguous share of them. Strided: in
 * the order of keys, each reader walking over the others' records by its cursor, as Caffe does.
 * Shuffled: by key, in the order of ORDER (32-bit ordinals), with the keys from KEYS (a byte of
 * length, then the key); both are loaded before the clock runs. FLAGS: a sum of 1 (MDB_NORDAHEAD).
 *
 * Prints a line for every reader and one for all, fields as name=value. The clock runs from before
 * the first reader opens the environment until the last has finished.
 */
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record_checksum.h"

struct reader {
  double began, ended, seek, read;
  uint64_t checksum;
  long long records, value_bytes;
  long voluntary, involuntary, major_faults;
};

struct shared {
  pthread_barrier_t start;
  struct reader readers[];
};

static const char *folder;
static long long batch, iterations;
static int reader_count, flags, shuffled;
static unsigned char **keys;
static uint32_t *order;

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

static void *load(const char *file, long *size) {
  FILE *in = fopen(file, "rb");
  void *bytes;
  if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
    perror(file);
    exit(1);
  }
  *size = ftell(in);
  rewind(in);
  bytes = malloc(*size + 1);
  if (bytes == NULL || fread(bytes, 1, *size, in) != (size_t)*size) {
    perror(file);
    exit(1);
  }
  fclose(in);
  return bytes;
}

static void load_keys(const char *file) {
  long size, at = 0, count = 0;
  unsigned char *bytes = load(file, &size);
  keys = malloc(sizeof *keys * (size / 2 + 1));
  while (at < size) {
    keys[count++] = bytes + at;
    at += 1 + bytes[at];
  }
}

static void take(struct reader *reader, MDB_val *key, MDB_val *value) {
  reader->checksum += record_hash(key->mv_data, key->mv_size, value->mv_data, value->mv_size);
  reader->records++;
  reader->value_bytes += value->mv_size;
}

/* The record after the cursor's; after the last the first. */
static void step(MDB_cursor *cursor, MDB_val *key, MDB_val *value) {
  int code = mdb_cursor_get(cursor, key, value, MDB_NEXT);
  if (code == MDB_NOTFOUND) {
    code = mdb_cursor_get(cursor, key, value, MDB_FIRST);
  }
  check(code, "mdb_cursor_get");
}

static void read_strided(MDB_cursor *cursor, struct reader *reader, int rank) {
  long long at = -1, i;
  MDB_val key, value;
  for (i = 0; i < iterations; i++) {
    long long first = i * batch + batch * rank / reader_count;
    long long end = i * batch + batch * (rank + 1) / reader_count;
    double began = now(), found;
    while (at < first - 1) {
      step(cursor, &key, &value);
      at++;
    }
    found = now();
    while (at < end - 1) {
      step(cursor, &key, &value);
      at++;
      take(reader, &key, &value);
    }
    reader->seek += found - began;
    reader->read += now() - found;
  }
}

static void read_shuffled(MDB_txn *transaction, MDB_dbi database, struct reader *reader, int rank) {
  long long i, place;
  for (i = 0; i < iterations; i++) {
    long long first = i * batch + batch * rank / reader_count;
    long long end = i * batch + batch * (rank + 1) / reader_count;
    double began = now();
    for (place = first; place < end; place++) {
      unsigned char *bytes = keys[order[place]];
      MDB_val key = {bytes[0], bytes + 1}, value;
      check(mdb_get(transaction, database, &key, &value), "mdb_get");
      take(reader, &key, &value);
    }
    reader->read += now() - began;
  }
}

static void run(struct shared *shared, int rank) {
  struct reader *reader = &shared->readers[rank];
  MDB_env *environment;
  MDB_txn *transaction;
  MDB_dbi database;
  MDB_cursor *cursor;
  struct rusage usage;
  unsigned int options = MDB_RDONLY | MDB_NOTLS | MDB_NOLOCK;
  if (flags & 1) {
    options |= MDB_NORDAHEAD;
  }
  pthread_barrier_wait(&shared->start);
  reader->began = now();
  check(mdb_env_create(&environment), "mdb_env_create");
  check(mdb_env_open(environment, folder, options, 0664), "mdb_env_open");
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction), "mdb_txn_begin");
  check(mdb_dbi_open(transaction, NULL, 0, &database), "mdb_dbi_open");
  if (shuffled) {
    read_shuffled(transaction, database, reader, rank);
  } else {
    check(mdb_cursor_open(transaction, database, &cursor), "mdb_cursor_open");
    read_strided(cursor, reader, rank);
    mdb_cursor_close(cursor);
  }
  mdb_txn_abort(transaction);
  mdb_env_close(environment);
  reader->ended = now();
  getrusage(RUSAGE_SELF, &usage);
  reader->voluntary = usage.ru_nvcsw;
  reader->involuntary = usage.ru_nivcsw;
  reader->major_faults = usage.ru_majflt;
}

static void fork_readers(struct shared *shared) {
  int rank, status;
  for (rank = 0; rank < reader_count; rank++) {
    pid_t child = fork();
    if (child == 0) {
      run(shared, rank);
      exit(0);
    }
    if (child < 0) {
      perror("fork");
      exit(1);
    }
  }
  for (rank = 0; rank < reader_count; rank++) {
    if (wait(&status) < 0 || status != 0) {
      fprintf(stderr, "a reader failed (status %d)\n", status);
      exit(1);
    }
  }
}

static void print(struct shared *shared) {
  struct reader all = shared->readers[0];
  int rank;
  for (rank = 0; rank < reader_count; rank++) {
    struct reader *one = &shared->readers[rank];
    printf("reader=%d seek=%.6f read=%.6f contextSwitches=%ld majorFaults=%ld\n", rank, one->seek,
           one->read, one->voluntary + one->involuntary, one->major_faults);
    if (rank > 0) {
      all.began = one->began < all.began ? one->began : all.began;
      all.ended = one->ended > all.ended ? one->ended : all.ended;
      all.checksum += one->checksum;
      all.records += one->records;
      all.value_bytes += one->value_bytes;
      all.voluntary += one->voluntary;
      all.involuntary += one->involuntary;
      all.major_faults += one->major_faults;
    }
  }
  printf("records=%lld bytes=%lld seconds=%.6f checksum=%016llx contextSwitches=%ld majorFaults=%ld\n",
         all.records, all.value_bytes, all.ended - all.began, (unsigned long long)all.checksum,
         all.voluntary + all.involuntary, all.major_faults);
}

int main(int argc, char **argv) {
  struct shared *shared;
  pthread_barrierattr_t attributes;
  long size;
  if (argc != 7 && argc != 9) {
    fprintf(stderr, "see the beginning of read_liblmdb.c for the arguments\n");
    return 2;
  }
  folder = argv[1];
  shuffled = strcmp(argv[2], "shuffled") == 0;
  reader_count = atoi(argv[3]);
  batch = atoll(argv[4]);
  iterations = atoll(argv[5]);
  flags = atoi(argv[6]);
  if (shuffled) {
    load_keys(argv[7]);
    order = load(argv[8], &size);
  }
  shared = mmap(NULL, sizeof *shared + reader_count * sizeof(struct reader),
                PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    perror("mmap");
    return 1;
  }
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->start, &attributes, reader_count);
  fork_readers(shared);
  print(shared);
  return 0;
}
