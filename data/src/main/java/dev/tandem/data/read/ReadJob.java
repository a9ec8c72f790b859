package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.data.read.mode.Breakdown;
import dev.tandem.data.read.mode.CommonSnapshot;
import dev.tandem.data.read.mode.CommunicatorPeers;
import dev.tandem.data.read.mode.Peers;
import dev.tandem.data.read.mode.ReadRequest;
import dev.tandem.data.read.mode.ReaderFactory;
import dev.tandem.data.read.mode.Reading;
import dev.tandem.data.read.mode.RecordVisitor;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.posix.PageCache;
import dev.tandem.posix.ProcessCounters;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One reader's part of reading a database, from the common start to the end: opens, reads by the
 * mode, and reports where the time went.
 */
public final class ReadJob {

  private final ReadRequest request;
  private final Peers peers;

  private ReadJob(ReadRequest request, Peers peers) {
    this.request = request;
    this.peers = peers;
  }

  /** Reads all by itself, with a checksum for a consumer. */
  public static ReaderReport run(ReadRequest request) {
    return new ReadJob(request, new Peers.Alone()).run();
  }

  /** Reads the share of one rank, with a checksum for a consumer. All ranks call it together. */
  public static ReaderReport run(ReadRequest request, Communicator communicator) {
    if (communicator.size() == 1) {
      return run(request);
    }
    return new ReadJob(request, new CommunicatorPeers(communicator, false)).run();
  }

  /**
   * Reads the share of one rank for any consumer. All ranks call it together.
   *
   * @return what it cost; its checksum is 0
   */
  public static ReaderReport read(
      ReadRequest request, Communicator communicator, RecordVisitor visitor) {
    Peers peers =
        communicator.size() == 1 ? new Peers.Alone() : new CommunicatorPeers(communicator, false);
    return new ReadJob(request, peers).measured(visitor, () -> 0);
  }

  private ReaderReport run() {
    ChecksumVisitor checksum = new ChecksumVisitor();
    return measured(checksum, checksum::sum);
  }

  private ReaderReport measured(RecordVisitor visitor, LongSupplier checksum) {
    if (request.cold() && peers.rank() == peers.hostRanks()[0]) {
      PageCache.capability().orElseThrow().drop(Environment.dataFile(request.database()));
    }
    peers.barrier();
    ProcessCounters before = ProcessCounters.read();
    long began = System.nanoTime();
    Breakdown times = new Breakdown();
    ReaderFactory readings = read(visitor, times);
    double seconds = (System.nanoTime() - began) / 1e9;
    ProcessCounters counters = ProcessCounters.read().since(before);
    return ReaderReport.of(
        peers.rank(),
        readings.mode().code(),
        readings.choice(),
        readings.indexOrigin(),
        checksum.getAsLong(),
        seconds,
        times,
        counters);
  }

  private ReaderFactory read(RecordVisitor visitor, Breakdown times) {
    try (Environment environment = Environment.open(request.database());
        Snapshot snapshot = CommonSnapshot.of(environment, peers);
        ReaderFactory readings =
            new ReaderFactory(request, peers, environment.file(), snapshot, times)) {
      try (Reading reading = readings.open()) {
        reading.run(visitor, times);
        long waits = System.nanoTime();
        peers.barrier();
        times.skew += System.nanoTime() - waits;
      }
      return readings;
    }
  }

  /** A consumer that looks at every byte; order and threads do not matter to it. */
  private static final class ChecksumVisitor implements RecordVisitor {

    private final RecordChecksum checksum = new RecordChecksum();
    private ChecksumVisitor companion;

    @Override
    public void record(
        ByteBuffer keys,
        int keyAt,
        int keyLength,
        ByteBuffer values,
        int valueAt,
        int valueLength) {
      checksum.add(keys, keyAt, keyLength, values, valueAt, valueLength);
    }

    @Override
    public Optional<RecordVisitor> companion() {
      companion = new ChecksumVisitor();
      return Optional.of(companion);
    }

    long sum() {
      return companion == null ? checksum.sum() : checksum.sum() + companion.sum();
    }
  }
}
