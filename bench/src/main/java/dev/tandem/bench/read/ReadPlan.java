package dev.tandem.bench.read;

import java.util.ArrayList;
import java.util.List;

/**
 * Which comparisons are made, and by which contenders.
 *
 * @param cifarRecords of the CIFAR-like database
 * @param imageNetRecords of the ImageNet-like database
 * @param quick fewer comparisons of less data
 * @param usualReadAhead this machine's, in KB
 */
record ReadPlan(long cifarRecords, long imageNetRecords, boolean quick, int usualReadAhead) {

  /** Linux's own read-ahead. */
  static final int DEFAULT_READ_AHEAD = 128;

  static final int THROTTLED_READERS = 8;

  /**
   * How often a warm database is read: what is in memory is read so fast that a single time would
   * measure the start of processes.
   */
  private static final int WARM_EPOCHS = 16;

  /** Likewise by several processes: more new JVMs than cores take longer to get going. */
  private static final int SHARED_WARM_EPOCHS = 32;

  /** Through latency a gigabyte takes the other modes a minute. */
  private static final List<String> LATENCY =
      List.of("liblmdb", "lmdb", "prov", "coal", "stag", "auto");

  /** 1.6 GB: with less the start of eight JVMs on two cores weighs more than the requests. */
  private static final int CHARGED_ITERATIONS = 100;

  /** 12 MB. */
  static final long SMALL_RECORDS = 3000;

  private static final int SMALL_EPOCHS = 100;
  private static final int REPEATED_EPOCHS = 5;
  static final int LOADER_EPOCHS = 3;

  private static final int SMALL_BATCH = 300;
  private static final int CIFAR_BATCH = 4000;
  private static final int IMAGENET_BATCH = 80;

  static final List<String> MODES =
      List.of("lmdb", "lmm", "dm", "dio", "prov", "coal", "stag", "auto");
  private static final List<String> STRIDED =
      List.of("ceiling", "liblmdb", "pylmdb", "lmdbjava", "auto", "auto-noindex");
  private static final List<String> SHUFFLED =
      List.of("ceiling", "liblmdb", "liblmdb-nordahead", "pylmdb", "lmdbjava", "auto");
  private static final List<String> LIMITED =
      List.of("ceiling", "liblmdb", "liblmdb-nordahead", "auto");
  private static final List<String> WARM = List.of("liblmdb", "pylmdb", "lmdbjava", "auto");

  private static final List<String> REPEATED = List.of("liblmdb", "pylmdb", "dataloader", "auto");
  private static final List<String> LOADER = List.of("liblmdb", "dataloader", "loader");

  /** Of storage that charges for requests, in a quick run. */
  private static final List<String> CHARGED = List.of("liblmdb", "lmdb", "auto");

  /** Several processes read for long: only the most important contenders. */
  private static final List<String> COMPARED_WARM =
      WARM.stream().filter(ReadAccess.STRIDED.compared(true)::contains).toList();

  /**
   * A comparison and its contenders.
   *
   * @param contenders in the order of the first round
   */
  record Entry(ReadCase what, List<String> contenders) {

    /**
     * The contenders of a round: all in the first, then the most important; in reverse order in
     * every second round.
     */
    List<String> contenders(int round) {
      List<String> present =
          round == 0
              ? contenders
              : contenders.stream().filter(what.access().compared(what.warm())::contains).toList();
      return round % 2 == 0 ? present : present.reversed();
    }
  }

  static ReadPlan full(int usualReadAhead) {
    return new ReadPlan(1_000_000, 20_000, false, usualReadAhead);
  }

  static ReadPlan quick(int usualReadAhead) {
    return new ReadPlan(100_000, 2_000, true, usualReadAhead);
  }

  /** All comparisons, those of one read-ahead together. */
  List<Entry> entries(ReadDatabase cifar, ReadDatabase imageNet, boolean readAheadChangeable) {
    List<Entry> entries = new ArrayList<>();
    List<Integer> readAheads =
        readAheadChangeable && usualReadAhead != DEFAULT_READ_AHEAD
            ? List.of(DEFAULT_READ_AHEAD, usualReadAhead)
            : List.of(usualReadAhead);
    for (int readAhead : readAheads) {
      boolean usual = readAhead == usualReadAhead;
      for (ReadDatabase database : List.of(cifar, imageNet)) {
        strided(entries, database, readAhead);
        if (usual) {
          shuffled(entries, database, readAhead);
          warm(entries, database, readAhead);
        }
        if (readAhead == readAheads.getFirst() && !quick) {
          limited(entries, database, readAhead);
        }
      }
      if (readAhead == readAheads.getFirst()) {
        entries.add(throttled(cifar, readAhead));
      }
    }
    return entries;
  }

  /** What a training does: the same database for several epochs, cold at its beginning. */
  List<Entry> repeated(ReadDatabase cifar, ReadDatabase small) {
    List<Entry> entries = new ArrayList<>();
    for (int processes : quick ? List.of(1) : List.of(1, 2, 4)) {
      List<String> contenders = processes == 1 ? REPEATED : List.of("liblmdb", "auto");
      entries.add(repeated(cifar, REPEATED_EPOCHS, processes, contenders));
    }
    entries.add(repeated(small, SMALL_EPOCHS, 1, REPEATED));
    entries.add(
        entry(
            cifar,
            ReadAccess.LOADER,
            false,
            usualReadAhead,
            1,
            LOADER_EPOCHS * all(cifar),
            LOADER));
    return entries;
  }

  private Entry repeated(
      ReadDatabase database, int epochs, int processes, List<String> contenders) {
    return entry(
        database,
        ReadAccess.REPEATED,
        false,
        usualReadAhead,
        processes,
        epochs * all(database),
        contenders);
  }

  private void strided(List<Entry> entries, ReadDatabase database, int readAhead) {
    int quickProcesses = readAhead == usualReadAhead ? 1 : 4;
    for (int processes : quick ? List.of(quickProcesses) : List.of(1, 2, 4)) {
      List<String> contenders = new ArrayList<>(STRIDED);
      if (quick && processes > 1) {
        contenders.remove("pylmdb");
      }
      if (!quick && processes == 4 && readAhead == usualReadAhead) {
        MODES.stream().filter(mode -> !contenders.contains(mode)).forEach(contenders::add);
      }
      entries.add(
          entry(
              database,
              ReadAccess.STRIDED,
              false,
              readAhead,
              processes,
              all(database),
              contenders));
    }
  }

  private void shuffled(List<Entry> entries, ReadDatabase database, int readAhead) {
    for (int processes : quick ? List.of(1) : List.of(1, 4)) {
      entries.add(
          entry(
              database,
              ReadAccess.SHUFFLED,
              false,
              readAhead,
              processes,
              quick ? 10 : shuffledIterations(database),
              quick ? LIMITED : SHUFFLED));
    }
  }

  /**
   * Of CIFAR a tenth of the records: with a read-ahead of 8 MB liblmdb reads the whole file for
   * them, and for more records no more than that, which would compare something else.
   */
  private static int shuffledIterations(ReadDatabase database) {
    return cifar(database) ? 25 : 40;
  }

  private void warm(List<Entry> entries, ReadDatabase database, int readAhead) {
    for (int processes : quick ? List.of(1) : List.of(1, 2, 4)) {
      int epochs = processes == 1 ? WARM_EPOCHS : SHARED_WARM_EPOCHS;
      entries.add(
          entry(
              database,
              ReadAccess.STRIDED,
              true,
              readAhead,
              processes,
              quick ? all(database) : epochs * all(database),
              quick || processes > 1 ? COMPARED_WARM : WARM));
    }
  }

  /** Enough that reading takes seconds: in half a second four JVMs have hardly started. */
  private void limited(List<Entry> entries, ReadDatabase database, int readAhead) {
    for (int processes : List.of(1, 4)) {
      int iterations = cifar(database) ? 40 : 100;
      entries.add(
          entry(database, ReadAccess.LIMITED, false, readAhead, processes, iterations, LIMITED));
    }
  }

  private Entry throttled(ReadDatabase database, int readAhead) {
    List<String> contenders = new ArrayList<>(CHARGED);
    if (!quick) {
      // fio takes its time under a ration, and every mode several JVMs.
      contenders.addFirst("ceiling");
      MODES.stream().filter(mode -> !contenders.contains(mode)).forEach(contenders::add);
    }
    return entry(
        database,
        ReadAccess.THROTTLED,
        false,
        readAhead,
        chargedReaders(),
        quick ? 5 : CHARGED_ITERATIONS,
        contenders);
  }

  /** Of storage that charges for requests: eight JVMs take longer to start than a quick run has. */
  private int chargedReaders() {
    return quick ? THROTTLED_READERS / 2 : THROTTLED_READERS;
  }

  /** Storage that takes long for each request; its read-ahead is Linux's own. */
  Entry latency(ReadDatabase mounted) {
    return entry(
        mounted,
        ReadAccess.LATENCY,
        false,
        DEFAULT_READ_AHEAD,
        chargedReaders(),
        quick ? 8 : CHARGED_ITERATIONS,
        quick ? CHARGED : LATENCY);
  }

  private static Entry entry(
      ReadDatabase database,
      ReadAccess access,
      boolean warm,
      int readAhead,
      int processes,
      int iterations,
      List<String> contenders) {
    return new Entry(
        new ReadCase(database, access, warm, readAhead, processes, batch(database), iterations),
        contenders);
  }

  /** Iterations that read a database once. */
  private static int all(ReadDatabase database) {
    return (int) (database.records() / batch(database));
  }

  /** About 16 MB of the file, for either kind. */
  static int batch(ReadDatabase database) {
    return switch (database.name()) {
      case "cifar" -> CIFAR_BATCH;
      case "small" -> SMALL_BATCH;
      default -> IMAGENET_BATCH;
    };
  }

  private static boolean cifar(ReadDatabase database) {
    return database.name().equals("cifar");
  }
}
