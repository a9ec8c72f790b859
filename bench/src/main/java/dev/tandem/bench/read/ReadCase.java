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

  long records() {
    return (long) batch * iterations;
  }

  /** What the checksum depends on. */
  String work() {
    return "%s of %s, %d records".formatted(access.order(), database.name(), records());
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
