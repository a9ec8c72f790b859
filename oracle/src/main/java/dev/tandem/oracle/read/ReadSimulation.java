package dev.tandem.oracle.read;

import dev.tandem.comm.collective.Broadcast;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One mode with some number of processes. A few rounds are simulated, the first (in which readers
 * have further to seek) and some that stand for all others; in modes that coalesce, a round is as
 * many iterations as the memory budget holds.
 */
final class ReadSimulation {

  private static final int ROUNDS = 4;

  /** Memory of a root reader for what it reads in advance, as in the thesis. */
  private static final long BUDGET = 2_500L << 20;

  private final SimulatedWorkload workload;
  private final SharedStorage storage;
  private final ReaderCosts costs;
  private final SimulatedMode mode;
  private final int processes;
  private final int perNode;
  private final int nodes;
  private final int group;
  private final int iterationsPerRound;
  private final StorageSimulation servers;

  /** One after another until all nodes know what one has found. */
  private final long messages;

  /** What one round took. */
  private record Round(double seconds, double seek, double read, double skew) {}

  /**
   * @param processesPerNode of which one is a root reader, in all modes but {@code lmdb}
   * @param group nodes that read at a time in mode {@code stag}
   */
  ReadSimulation(
      Calibration calibration,
      SimulatedWorkload workload,
      SimulatedMode mode,
      int processes,
      int processesPerNode,
      int group,
      Seed seed) {
    this.workload = workload;
    this.storage = calibration.storage();
    this.costs = calibration.readers();
    this.mode = mode;
    this.processes = processes;
    this.perNode = Math.min(processes, processesPerNode);
    this.nodes = (processes + processesPerNode - 1) / processesPerNode;
    this.group = group;
    this.messages = Broadcast.cost(new TeamPosition(0, nodes, false), 0, 0).steps();
    this.servers = new StorageSimulation(storage, seed.random());
    long perIteration = Math.max(1, workload.batchBytes() / nodes);
    this.iterationsPerRound =
        switch (mode) {
          case LMDB, LMM, DM, DIO, PROV -> 1;
          case COAL, STAG -> Math.clamp(BUDGET / perIteration, 1, workload.iterations());
        };
  }

  SimulatedRead run() {
    int all = (workload.iterations() + iterationsPerRound - 1) / iterationsPerRound;
    int simulated = Math.min(all, ROUNDS);
    boolean[] prefetched = new boolean[nodes];
    double[] sums = new double[4];
    for (int round = 0; round < simulated; round++) {
      Round took = round(round, prefetched);
      // The first stands for itself, the others for all that follow.
      double weight = round == 0 ? 1 : (all - 1.0) / (simulated - 1);
      sums[0] += took.seconds * weight;
      sums[1] += took.seek * weight;
      sums[2] += took.read * weight;
      sums[3] += took.skew * weight;
    }
    double needed = (double) workload.batchBytes() * workload.iterations();
    return new SimulatedRead(
        true,
        workload.name(),
        mode.code(),
        processes,
        nodes,
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        needed,
        servers.bytesRead() / simulated * all,
        0);
  }

  private Round round(int round, boolean[] prefetched) {
    return switch (mode) {
      case LMDB -> mapped(round, perNode, prefetched);
      case LMM -> mapped(round, 1, prefetched);
      case DM -> distributed(round);
      case DIO -> requested(round, true);
      case PROV -> requested(round, false);
      case COAL -> coalesced(round, nodes);
      case STAG -> coalesced(round, group);
    };
  }

  private long shareBegins(int round, int node) {
    return (round * (long) nodes + node) * workload.batchBytes() / nodes;
  }

  /** Seconds for a byte through a mapping that some processes of the node wait in. */
  private double mappedByte(int waiting) {
    return (costs.mappedPageSeconds() + costs.wakeSeconds() * (waiting - 1))
        / SimulatedWorkload.PAGE;
  }

  private RequestStream seek(long from, long end, int waiting) {
    long leafBytes = workload.recordsPerLeaf() * workload.recordBytes();
    long step = Math.max(costs.windowBytes(), leafBytes);
    return new RequestStream(from, end, costs.windowBytes(), step, mappedByte(waiting), -1);
  }

  /**
   * Every node seeks from its last share to its next one, then reads that. If all its processes
   * read, they seek through each other's records, too, and together meet every leaf page; what they
   * wait for comes through one mapping, page by page.
   */
  private Round mapped(int round, int readersPerNode, boolean[] prefetched) {
    List<RequestStream> streams = new ArrayList<>();
    double sought = readersPerNode == 1 ? 0 : workload.seekShare(costs.windowBytes());
    for (int node = 0; node < nodes; node++) {
      long begins = shareBegins(round, node);
      long ends = shareBegins(round, node + 1);
      long last = round == 0 ? 0 : shareBegins(round - 1, node + 1);
      // A node that waited for others got the next window from the read-ahead.
      long from = last + (prefetched[node] ? costs.windowBytes() : 0);
      streams.add(seek(from, readersPerNode == 1 ? begins : ends, readersPerNode));
      streams.add(
          new RequestStream(
              begins + (long) ((ends - begins) * sought),
              ends,
              costs.windowBytes(),
              costs.windowBytes(),
              mappedByte(readersPerNode),
              2 * node));
    }
    double[] ended = servers.run(streams);
    double[] found = new double[nodes];
    double[] done = new double[nodes];
    for (int node = 0; node < nodes; node++) {
      found[node] = ended[2 * node];
      done[node] = ended[2 * node + 1];
    }
    Round took = took(0, found, done);
    for (int node = 0; node < nodes; node++) {
      prefetched[node] = took.seconds - done[node] > storage.latencySeconds();
    }
    return took;
  }

  /** All nodes touch their pages at once; then a cursor goes from node to node in memory. */
  private Round distributed(int round) {
    List<RequestStream> streams = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      // What is touched on either side because the history says that it may be needed.
      long margin = nodes > 1 ? 2L * SimulatedWorkload.PAGE : SimulatedWorkload.PAGE;
      streams.add(
          new RequestStream(
              Math.max(0, shareBegins(round, node) - margin),
              shareBegins(round, node + 1) + margin,
              costs.windowBytes(),
              costs.windowBytes(),
              mappedByte(1),
              -1));
    }
    double handOver = nodes * costs.messageSeconds() + workload.batch() * costs.stepSeconds();
    return took(handOver, new double[nodes], servers.run(streams));
  }

  /** Each node sends requests for its share; before that, one process may have to seek. */
  private Round requested(int round, boolean seeking) {
    double seek = 0;
    if (seeking) {
      RequestStream one = seek(shareBegins(round, 0), shareBegins(round + 1, 0), 1);
      seek = servers.run(List.of(one))[0] + messages * costs.messageSeconds();
    }
    List<RequestStream> streams = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      inFlight(streams, shareBegins(round, node), shareBegins(round, node + 1), -1);
    }
    return took(seek, new double[nodes], slowest(servers.run(streams)));
  }

  /** Each node reads one long range; at most {@code together} nodes read at a time. */
  private Round coalesced(int round, int together) {
    long region = workload.batchBytes() * iterationsPerRound;
    List<RequestStream> streams = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      long begins = round * region + region * node / nodes;
      long ends = round * region + region * (node + 1) / nodes;
      inFlight(streams, begins, ends, node - together);
    }
    return took(0, new double[nodes], slowest(servers.run(streams)));
  }

  /** A node's requests for a range: several streams side by side, block by block in turn. */
  private void inFlight(List<RequestStream> streams, long begins, long ends, int afterNode) {
    long block = storage.blockBytes();
    int depth = costs.requestsInFlight();
    double perByte = costs.requestedPageSeconds() / SimulatedWorkload.PAGE;
    for (int stream = 0; stream < depth; stream++) {
      // The first request goes up to the end of its block, the others begin at blocks.
      long from = stream == 0 ? begins : (begins / block + stream) * block;
      int after = afterNode < 0 ? -1 : afterNode * depth + stream;
      streams.add(new RequestStream(from, ends, block, block * depth, perByte, after));
    }
  }

  /** When each node's last stream ends. */
  private double[] slowest(double[] ended) {
    int depth = costs.requestsInFlight();
    double[] done = new double[nodes];
    for (int i = 0; i < ended.length; i++) {
      done[i / depth] = Math.max(done[i / depth], ended[i]);
    }
    return done;
  }

  /**
   * @param before seconds of seeking before or after all nodes read
   * @param sought when each node began to read
   * @param done when each node had read
   */
  private static Round took(double before, double[] sought, double[] done) {
    double last = Arrays.stream(done).max().orElseThrow();
    double seek = Arrays.stream(sought).average().orElseThrow();
    double end = Arrays.stream(done).average().orElseThrow();
    return new Round(before + last, before + seek, end - seek, last - end);
  }
}
