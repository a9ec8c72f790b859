/*
 * The MPI side of `tandem bench collective`; CollectiveRankMain does the same steps in Java.
 *
 * usage: collective_mpi PIPES
 *
 * Every rank reads lines from the named pipe PIPES with its number appended, until that ends:
 * OPERATION BYTES WARM_UP_SECONDS SECONDS.
 *
 *   allreduce   sum of floats in place, in private memory
 *   fused-step  packs tensors into one buffer, allreduce, unpacks
 *   copy        every rank copies as many bytes at the same time: what the memory allows
 *   straggler   the last rank comes 20 ms late
 *
 * Every call has fresh data, follows a barrier and is checked. Rank 0 prints, for each size, the
 * operation, the bytes and the median in microseconds of the slowest rank's time; for `straggler` the time from
 * the late rank's entry to the last rank's exit, and the share of a core that a waiting rank uses.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MAXIMUM_CALLS 20000
#define MINIMUM_CALLS 2
#define WARM_CALLS 1
#define LATE_CALLS 15
#define TENSORS 16
#define STRAGGLE_NANOS 20000000L

static int rank, ranks;
static double times[MAXIMUM_CALLS], slowest[MAXIMUM_CALLS];

/* One operation on N floats, and the memory it works in. */
typedef struct {
  const char *operation;
  long count;
  float *data;    /* what allreduce reduces, what copy reads */
  float *other;   /* what copy writes */
  float **tensor; /* what the fused step packs from and unpacks to */
  long *length;
  int tensors;
} Work;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static double cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec + u.ru_stime.tv_sec +
         (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *values, int count) {
  qsort(values, count, sizeof(double), compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static int is(const Work *work, const char *operation) {
  return strcmp(work->operation, operation) == 0;
}

static void fill(float *data, long count, int call) {
  float value = (float)(call % 1000 + rank);
  for (long i = 0; i < count; i++) data[i] = value + (float)(i & 7);
}

static void refill(Work *work, int call) {
  if (!is(work, "fused-step")) {
    fill(work->data, work->count, call);
    return;
  }
  for (int i = 0; i < work->tensors; i++) fill(work->tensor[i], work->length[i], call);
}

static void check(float value, long index, int call) {
  float expected = 0;
  for (int r = 0; r < ranks; r++) expected += (float)(call % 1000 + r) + (float)(index & 7);
  if (value != expected) {
    fprintf(stderr, "wrong result: %f instead of %f\n", value, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void verify(const Work *work, int call) {
  if (is(work, "copy")) {
    if (work->other[work->count - 1] != work->data[work->count - 1]) MPI_Abort(MPI_COMM_WORLD, 1);
  } else if (is(work, "fused-step")) {
    int last = work->tensors - 1;
    check(work->tensor[last][work->length[last] - 1], work->length[last] - 1, call);
  } else {
    check(work->data[0], 0, call);
    check(work->data[work->count - 1], work->count - 1, call);
  }
}

static void perform(Work *work) {
  if (is(work, "copy")) {
    memcpy(work->other, work->data, work->count * sizeof(float));
    return;
  }
  if (is(work, "fused-step")) {
    float *to = work->data;
    for (int i = 0; i < work->tensors; to += work->length[i++])
      memcpy(to, work->tensor[i], work->length[i] * sizeof(float));
  }
  MPI_Allreduce(MPI_IN_PLACE, work->data, (int)work->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  if (is(work, "fused-step")) {
    float *from = work->data;
    for (int i = 0; i < work->tensors; from += work->length[i++])
      memcpy(work->tensor[i], from, work->length[i] * sizeof(float));
  }
}

static double call_once(Work *work, int call) {
  refill(work, call);
  MPI_Barrier(MPI_COMM_WORLD);
  double began = now();
  perform(work);
  double took = now() - began;
  verify(work, call);
  return took;
}

/* How many calls fit into the time, the same in all ranks. */
static int calls_in(Work *work, double warm_up, double seconds) {
  double began = now(), longest;
  int call = 0, enough = 0;
  while (!enough) {
    call_once(work, call++);
    enough = call >= WARM_CALLS && now() - began >= warm_up;
    MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  double each = (now() - began) / call;
  MPI_Allreduce(&each, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double calls = seconds / longest;
  return calls < MINIMUM_CALLS ? MINIMUM_CALLS : calls > MAXIMUM_CALLS ? MAXIMUM_CALLS : (int)calls;
}

static Work prepare(const char *operation, long bytes) {
  Work work = {operation, bytes / (long)sizeof(float), malloc(bytes), NULL, NULL, NULL, 0};
  memset(work.data, 0, bytes);
  if (is(&work, "copy")) {
    work.other = malloc(bytes);
    memset(work.other, 0, bytes);
  }
  if (!is(&work, "fused-step")) return work;
  work.tensors = work.count >= TENSORS ? TENSORS : 1;
  work.tensor = malloc(TENSORS * sizeof(float *));
  work.length = malloc(TENSORS * sizeof(long));
  long used = 0;
  for (int i = 0; i < work.tensors; i++) {
    work.length[i] = i + 1 < work.tensors ? work.count / work.tensors : work.count - used;
    work.tensor[i] = malloc(work.length[i] * sizeof(float));
    memset(work.tensor[i], 0, work.length[i] * sizeof(float));
    used += work.length[i];
  }
  return work;
}

static void release(Work *work) {
  for (int i = 0; i < work->tensors; i++) free(work->tensor[i]);
  free(work->tensor);
  free(work->length);
  free(work->data);
  free(work->other);
}

static void measure(Work *work, double warm_up, double seconds) {
  int calls = calls_in(work, warm_up, seconds);
  for (int call = 0; call < calls; call++) times[call] = call_once(work, call);
  MPI_Allreduce(times, slowest, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %ld %.3f\n", work->operation, work->count * (long)sizeof(float), median(slowest, calls) * 1e6);
}

static void straggle(Work *work, double warm_up, double seconds) {
  calls_in(work, warm_up, 0);
  int calls = (int)(seconds / (STRAGGLE_NANOS * 1e-9));
  calls = calls < LATE_CALLS ? LATE_CALLS : calls;
  int late = rank == ranks - 1;
  double waited = 0, used = 0;
  for (int call = 0; call < calls; call++) {
    refill(work, call);
    MPI_Barrier(MPI_COMM_WORLD);
    struct timespec pause = {0, STRAGGLE_NANOS};
    if (late) nanosleep(&pause, NULL);
    double entered = now(), before = cpu();
    perform(work);
    double left = now();
    used += late ? 0 : cpu() - before;
    waited += late ? 0 : left - entered;
    /* All ranks are on one host: the same clock. */
    double entry = late ? entered : 0, first, last;
    MPI_Allreduce(&entry, &first, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    times[call] = last - first;
    verify(work, call);
  }
  double share = late ? 0 : used / waited, most;
  MPI_Allreduce(&share, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s %ld %.3f %.4f\n", work->operation, work->count * (long)sizeof(float), median(times, calls) * 1e6, most);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char name[4096], line[256], operation[64];
  if (argc != 2 || snprintf(name, sizeof(name), "%s%d", argv[1], rank) >= (int)sizeof(name)) return 2;
  FILE *pipe = fopen(name, "r");
  if (!pipe) {
    perror(name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof(line), pipe)) {
    long bytes;
    double warm_up, seconds;
    if (sscanf(line, "%63s %ld %lf %lf", operation, &bytes, &warm_up, &seconds) != 4) MPI_Abort(MPI_COMM_WORLD, 2);
    Work work = prepare(operation, bytes);
    if (is(&work, "straggler"))
      straggle(&work, warm_up, seconds);
    else
      measure(&work, warm_up, seconds);
    fflush(stdout);
    release(&work);
  }
  MPI_Finalize();
  return 0;
}
