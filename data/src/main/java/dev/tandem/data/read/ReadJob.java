package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.lmdb.Environment;
import dev.tandem.lmdb.Snapshot;
import dev.tandem.posix.PageCache;
import dev.tandem.posix.ProcessCounters;
import java.nio.ByteBuffer;

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

  /** Reads the share of one rank for any consumer. All ranks call it together. */
  public static void read(ReadRequest request, Communicator communicator, RecordVisitor visitor) {
    Peers peers =
        communicator.size() == 1 ? new Peers.Alone() : new CommunicatorPeers(communicator, false);
    new ReadJob(request, peers).read(visitor, new Breakdown());
  }

  private ReaderReport run() {
    if (request.cold() && peers.rank() == 0) {
      PageCache.capability().orElseThrow().drop(Environment.dataFile(request.database()));
    }
    peers.barrier();
    ProcessCounters before = ProcessCounters.read();
    long began = System.nanoTime();
    RecordChecksum checksum = new RecordChecksum();
    Breakdown times = new Breakdown();
    Readings readings = read(new ChecksumVisitor(checksum), times);
    double seconds = (System.nanoTime() - began) / 1e9;
    ProcessCounters counters = ProcessCounters.read().since(before);
    return ReaderReport.of(
        peers.rank(),
        readings.mode().code(),
        readings.choice(),
        readings.indexOrigin(),
        checksum.sum(),
        seconds,
        times,
        counters);
  }

  private Readings read(RecordVisitor visitor, Breakdown times) {
    try (Environment environment = Environment.open(request.database());
        Snapshot snapshot = environment.snapshot();
        Readings readings = new Readings(request, peers, environment.file(), snapshot, times)) {
      try (Reading reading = readings.open()) {
        reading.run(visitor, times);
        long waits = System.nanoTime();
        peers.barrier();
        times.skew += System.nanoTime() - waits;
      }
      return readings;
    }
  }

  /** A consumer that looks at every byte. */
  private record ChecksumVisitor(RecordChecksum checksum) implements RecordVisitor {
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
  }
}
