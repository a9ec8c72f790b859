package dev.tandem.bench.read;

/**
 * What all contenders of one comparison do.
 *
 * @param warm whether the page cache holds the database; else it holds nothing of it
 * @param readAhead of the device, in KB
 * @param processes that read together
 * @param batch records of an iteration, over all processes
 * @param iterations from the beginning of the order
 */
record ReadCase(
    ReadDatabase database,
    ReadAccess access,
    boolean warm,
    int readAhead,
    int processes,
    int batch,
    int iterations) {

  private static final double START_SECONDS = 1.5;

  long records() {
    return (long) batch * iterations;
  }

  /** What the checksum depends on. */
  String work() {
    return "%s of %s, %d records".formatted(access.order(), database.name(), records());
  }

  /** How long a contender takes, about, with its start and with filling the page cache. */
  double likelySeconds() {
    double megabytes = records() * database.bytesPerRecord() / 1e6;
    return START_SECONDS + megabytes / access.likelySpeed(warm);
  }

  String cache() {
    return warm ? "warm" : "cold";
  }

  @Override
  public String toString() {
    return "%s %s %s, read-ahead %d, %d processes"
        .formatted(database.name(), access, cache(), readAhead, processes);
  }
}
