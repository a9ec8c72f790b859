package dev.tandem.oracle.sync;

import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.AllreduceAlgorithm;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.DType;

/** The machine and the settings of the protocol: what is known, not noise. */
public record ClusterModel(
    Engine engine, Input input, Cores cores, Protocol protocol, Links links) {

  /**
   * How fast a rank computes.
   *
   * @param computeMillis of ResNet50's forward and backward pass on one rank, reference batch
   * @param referenceBatch samples of a rank for which this and the time of its input hold
   * @param batchFreeShare of computeMillis that an iteration costs however small its batch is
   */
  public record Engine(double computeMillis, int referenceBatch, double batchFreeShare) {

    public Engine {
      positive("cluster.computeMillis", computeMillis);
      positive("cluster.referenceBatch", referenceBatch);
    }
  }

  /**
   * What preparing the samples of an iteration takes.
   *
   * @param millis for which the input pipeline keeps the cores of a rank busy; it begins with the
   *     iteration
   * @param drag by which passes, copies and transfers are slower meanwhile, as a share of their
   *     time: what all need besides cores, such as memory bandwidth and copies to the device
   */
  public record Input(double millis, double drag) {

    public Input {
      if (drag < 0) {
        throw new IllegalArgumentException("cluster.inputDrag " + drag + ": must be at least 0");
      }
    }
  }

  /**
   * The cores of a rank.
   *
   * @param all that it has
   * @param engine that the engine has to itself when cores are partitioned; 0 if only the
   *     synchroniser has a core to itself and the engine shares the others with the input pipeline
   */
  public record Cores(int all, int engine) {

    public Cores {
      if (engine < 0) {
        throw new IllegalArgumentException(
            "cluster.engineCores " + engine + ": must be at least 0");
      }
      if (all < engine + 2) {
        throw new IllegalArgumentException(
            "cluster.cores %d: must be at least 2 more than cluster.engineCores %d"
                .formatted(all, engine));
      }
    }

    /** For the input pipeline when the synchroniser has one and the engine those of its own. */
    int input() {
      return all - 1 - engine;
    }
  }

  /**
   * How ranks come to transfer, and what that costs.
   *
   * @param cycleMillis from one negotiation to the next, if all goes well
   * @param fusionBytes most bytes of a fused transfer
   * @param controlMicros of a negotiating collective for each doubling of the ranks
   * @param requestMicros from one tensor's request to the next
   * @param planMicros for each tensor by which a planned transfer starts later than its last
   *     request: order and buffers are managed tensor by tensor
   * @param napMicros between two tests of a nonblocking collective
   * @param testMicros that one such test keeps a core busy
   */
  public record Protocol(
      double cycleMillis,
      double fusionBytes,
      double controlMicros,
      double requestMicros,
      double planMicros,
      double napMicros,
      double testMicros) {

    public Protocol {
      positive("cluster.cycleMillis", cycleMillis);
      positive("cluster.fusionBytes", fusionBytes);
      positive("cluster.requestMicros", requestMicros);
      positive("cluster.napMicros", napMicros);
    }

    /** Milliseconds of one negotiating collective once the last rank has come. */
    double controlMillis(int ranks) {
      return controlMicros * doublings(ranks) / 1e3;
    }

    Protocol withTest(double micros) {
      return new Protocol(
          cycleMillis, fusionBytes, controlMicros, requestMicros, planMicros, napMicros, micros);
    }
  }

  /**
   * What moves bytes.
   *
   * @param nodeRanks ranks of one node
   * @param nodeLatencyMicros of a data transfer within a node for each doubling of the ranks
   * @param nodeBandwidth of a transfer within a node, bytes a second
   * @param latencyMicros of a data transfer between nodes for each doubling of the ranks
   * @param bandwidth of a transfer between nodes, bytes a second
   * @param congestion by which a transfer's bytes take longer for each doubling of the nodes, as a
   *     share of their time without it
   * @param copyBandwidth into and out of the fusion buffer, bytes a second
   */
  public record Links(
      int nodeRanks,
      double nodeLatencyMicros,
      double nodeBandwidth,
      double latencyMicros,
      double bandwidth,
      double congestion,
      double copyBandwidth) {

    public Links {
      positive("cluster.nodeRanks", nodeRanks);
      positive("cluster.nodeBandwidth", nodeBandwidth);
      positive("cluster.bandwidth", bandwidth);
      positive("cluster.copyBandwidth", copyBandwidth);
    }

    /** Milliseconds of copying bytes into fusion buffers and out again; one rank needs none. */
    double copyMillis(double bytes, int ranks) {
      return ranks == 1 ? 0 : 2 * bytes / copyBandwidth * 1e3;
    }

    /** Milliseconds of moving bytes in some number of transfers, one after another. */
    private double transferMillis(double bytes, double transfers, TeamPosition rank) {
      int ranks = rank.size();
      long whole = Math.round(bytes / DType.FLOAT32.bytes()) * DType.FLOAT32.bytes();
      double moved =
          Allreduce.cost(rank, whole, DType.FLOAT32, AllreduceAlgorithm.RING).bytesSent();
      if (ranks <= nodeRanks) {
        return transfers * nodeLatencyMicros * doublings(ranks) / 1e3 + moved / nodeBandwidth * 1e3;
      }
      double nodes = (double) ranks / nodeRanks;
      return transfers * latencyMicros * doublings(ranks) / 1e3
          + moved / bandwidth * 1e3 * (1 + congestion * doublings(nodes));
    }
  }

  /**
   * Milliseconds of moving bytes in fused transfers, one after another.
   *
   * @param rank whose transfers
   */
  double transferMillis(double bytes, TeamPosition rank) {
    double transfers = Math.max(1, Math.ceil(bytes / protocol.fusionBytes()));
    return links.transferMillis(bytes, transfers, rank);
  }

  ClusterModel withInput(Input other) {
    return new ClusterModel(engine, other, cores, protocol, links);
  }

  ClusterModel withTest(double micros) {
    return new ClusterModel(engine, input, cores, protocol.withTest(micros), links);
  }

  private static void positive(String name, double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException(name + " " + value + ": must be above 0");
    }
  }

  private static double doublings(double count) {
    return Math.log(count) / Math.log(2);
  }
}
