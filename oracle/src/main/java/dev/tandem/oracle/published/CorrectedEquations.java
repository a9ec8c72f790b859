package dev.tandem.oracle.published;

import dev.tandem.oracle.cluster.Link;
import java.util.List;

/**
 * The equations of ParaDL, corrected, with the links and the contention of its platform file and
 * nothing fitted: what a calibration has to be better than.
 */
final class CorrectedEquations implements IterationModel {

  private static final int PIECES = 8;

  private final CampaignNetworks networks;
  private final Platform platform;
  private final int perNode;

  CorrectedEquations(CampaignNetworks networks) {
    this.networks = networks;
    platform = networks.platform();
    perNode = platform.devicesPerNode();
  }

  @Override
  public double seconds(Configuration configuration) {
    NetworkSizes network = networks.sizes(configuration.model(), configuration.dataset());
    int devices = configuration.devices();
    int onNode = Math.min(devices, perNode);
    double batch = configuration.batch();
    double nodeSamples = configuration.samplesPerDevice() * onNode;
    return switch (configuration.strategy()) {
      case DATA ->
          network.serialSeconds() * configuration.samplesPerDevice()
              + allreduce(devices, network.weights());
      case FILTER -> split(network, devices, batch) + filter(network, devices, batch);
      case CHANNEL -> split(network, devices, batch) + channel(network, devices, batch);
      case DATA_FILTER ->
          split(network, onNode, nodeSamples)
              + filter(network, onNode, nodeSamples)
              + betweenNodes(devices, network.weights() / onNode);
      case SPATIAL, DATA_SPATIAL ->
          network.serialSeconds() * nodeSamples / onNode
              + halo(network, nodeSamples)
              + allreduce(onNode, network.weights())
              + betweenNodes(devices, network.weights());
      case PIPELINE -> network.serialSeconds() * batch * (devices + PIECES - 1) / PIECES / devices;
    };
  }

  private static double split(NetworkSizes network, int devices, double samples) {
    double share = network.convolutionShare();
    return network.serialSeconds() * samples * (1 - share + share / devices);
  }

  private double filter(NetworkSizes network, int devices, double samples) {
    return layers(network.splitOutputs(), network.splitInputs(), devices, samples);
  }

  private double channel(NetworkSizes network, int devices, double samples) {
    return layers(network.splitInputs(), network.splitOutputs(), devices, samples);
  }

  /** A gather and a sum for each split layer. */
  private double layers(List<Double> gathered, List<Double> reduced, int devices, double samples) {
    double seconds = 0;
    for (int i = 0; i < gathered.size(); i++) {
      seconds += allreduce(devices, gathered.get(i) * samples) / 2;
      seconds += allreduce(devices, reduced.get(i) * samples);
    }
    return seconds;
  }

  /** Rows in both directions, one after the other, forward and backward. */
  private double halo(NetworkSizes network, double samples) {
    return 4
        * (network.haloLayers() * platform.hostLatency()
            + network.haloRow() * samples / platform.hostBytesPerSecond());
  }

  /** A sum over one device of each node. */
  private double betweenNodes(int devices, double bytes) {
    int nodes = devices / perNode;
    if (nodes < 2) {
      return 0;
    }
    Link link = platform.link(devices);
    return 2
        * (nodes - 1)
        * (link.latencySeconds() + bytes / nodes * platform.hybridFlows() / link.bytesPerSecond());
  }

  /** A ring over neighbouring devices. */
  private double allreduce(int devices, double bytes) {
    if (devices < 2) {
      return 0;
    }
    Link link = platform.link(devices);
    return 2 * (devices - 1) * (link.latencySeconds() + bytes / devices / link.bytesPerSecond());
  }
}
