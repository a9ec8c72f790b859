package dev.tandem.bench.gpu;

import dev.tandem.nn.Device;
import dev.tandem.nn.EngineOptions;
import dev.tandem.nn.NetworkOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One network with one type of activations and one size of batches.
 *
 * @param mixed in bfloat16, else in float32 with TF32 products
 */
record GpuCase(GpuNetwork network, boolean mixed, int batch) {

  static final int SMALL = 32;
  static final int LARGE = 256;

  /** The four cases of each network. */
  static List<GpuCase> of(Set<GpuNetwork> networks) {
    List<GpuCase> cases = new ArrayList<>();
    for (GpuNetwork network : networks) {
      for (boolean mixed : new boolean[] {false, true}) {
        for (int batch : new int[] {SMALL, LARGE}) {
          cases.add(new GpuCase(network, mixed, batch));
        }
      }
    }
    return cases;
  }

  /** One that is asked for in a line. */
  static GpuCase parse(String network, String precision, String batch) {
    return new GpuCase(GpuNetwork.of(network), precision.equals("bf16"), Integer.parseInt(batch));
  }

  String precision() {
    return mixed ? "bf16" : "tf32";
  }

  /** Steps of a turn. */
  int steps() {
    return batch == SMALL ? 3 * network.steps() : network.steps();
  }

  /** Whether PyTorch's compiler, which takes its time, is measured too. */
  boolean compiled() {
    return mixed && batch == LARGE;
  }

  /** The line that the ranks read, after a verb. */
  String words() {
    return "%s %s %d".formatted(network.code(), precision(), batch);
  }

  EngineOptions engine(Device device, int localRank, boolean graph) {
    return EngineOptions.of(device, 1).withLocalRank(localRank).withTf32(!mixed).withGraph(graph);
  }

  NetworkOptions options() {
    return NetworkOptions.DEFAULT.withPrecision(
        mixed ? NetworkOptions.Precision.MIXED : NetworkOptions.Precision.FULL);
  }
}
