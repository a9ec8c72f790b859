package dev.tandem.sync.tune;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Topology;
import dev.tandem.sync.plan.FusionPlan;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.plan.TopologyPlanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a choice was made for: the tensors of a step, the ranks and how hosts share them, and the
 * machine of rank 0. Another one of these is another choice.
 *
 * @param text in one line
 */
record TuningKey(String text) {

  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

  /** What names a processor there: on x86-64 the first, on aarch64 the other two. */
  private static final List<String> MODEL = List.of("model name", "CPU implementer", "CPU part");

  static TuningKey of(Communicator communicator, RequestGraph graph) {
    Topology topology = communicator.topology();
    int[] onHost = new int[topology.hosts()];
    for (int rank = 0; rank < communicator.size(); rank++) {
      onHost[topology.host(rank)]++;
    }
    // Of names, shapes and order, whatever the cap.
    long tensors = new TopologyPlanner(Long.MAX_VALUE).plan(graph).hash();
    return new TuningKey(
        "tensors %016x ranks %d on hosts %s processors %d model %s"
            .formatted(
                tensors,
                communicator.size(),
                Arrays.toString(onHost).replace(" ", ""),
                Runtime.getRuntime().availableProcessors(),
                model()));
  }

  private static String model() {
    try {
      String model =
          Files.readAllLines(PROCESSORS).stream()
              .filter(line -> MODEL.stream().anyMatch(line::startsWith))
              .map(line -> line.substring(line.indexOf(':') + 1).strip())
              .distinct()
              .collect(Collectors.joining(" "));
      return model.isEmpty() ? "unknown" : model;
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** A name for a file. */
  String fileName() {
    long hash = 0;
    for (int i = 0; i < text.length(); i++) {
      hash = FusionPlan.mix(hash, text.charAt(i));
    }
    return "%016x.tuning".formatted(hash);
  }
}
