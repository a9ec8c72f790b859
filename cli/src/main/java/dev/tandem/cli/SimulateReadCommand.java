package dev.tandem.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.oracle.read.Calibration;
import dev.tandem.oracle.read.LocalProbe;
import dev.tandem.oracle.read.ReadSimulator;
import dev.tandem.oracle.read.SimulatedRead;
import dev.tandem.oracle.read.SimulatedWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Projects the read modes to many readers. */
@Command(
    name = "read",
    description = {
      "Simulates the read modes with up to thousands of readers on a filesystem that all nodes"
          + " share: what requests cost, bandwidth, read-ahead, prefetching while waiting, requests"
          + " out of order. The same seed gives the same results. docs/simulation.md says"
          + " what the model was fitted to."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem simulate read",
      "  ./tandem simulate read --database imagenet --processes 4608,9216 --json s.json",
      "  ./tandem simulate read --probe /data        with page costs of this machine"
    })
final class SimulateReadCommand extends TandemCommand {

  @Option(
      names = "--database",
      paramLabel = "D",
      split = ",",
      defaultValue = "cifar,imagenet",
      description = "cifar, imagenet or both. Default: ${DEFAULT-VALUE}")
  private List<String> databases;

  @Option(
      names = "--processes",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,36,144,576,1152,2304,4608,9216",
      description = "Numbers of readers. Default: ${DEFAULT-VALUE}")
  private List<Integer> processes;

  @Option(
      names = "--per-node",
      paramLabel = "N",
      defaultValue = "36",
      description = "Processes per node. Default: ${DEFAULT-VALUE}")
  private int perNode;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "Seed of the order of requests. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--calibration",
      paramLabel = "FILE",
      description = "Costs of requests and pages as JSON, as --json writes them.")
  private Path calibrationFile;

  @Option(
      names = "--probe",
      paramLabel = "DIR",
      description = "Measure page costs in DIR on this machine; takes a second.")
  private Path probe;

  /** What {@code --json} gets. */
  record Results(boolean simulated, Calibration calibration, long seed, List<SimulatedRead> rows) {}

  @Override
  protected Object run() {
    if (perNode < 1 || processes.stream().anyMatch(count -> count < 1)) {
      throw new UsageException("--processes and --per-node must be at least 1");
    }
    Calibration calibration = calibration();
    ReadSimulator simulator = new ReadSimulator(calibration, perNode, new Seed(seed));
    List<SimulatedRead> rows = new ArrayList<>();
    out().println("simulated, " + calibration.origin());
    for (String database : databases) {
      SimulatedWorkload workload = workload(database);
      out()
          .printf(
              "%nsimulated: %s, %,d iterations of %,d records; seconds of reading, and speed-up"
                  + " over lmdb%n",
              database, workload.iterations(), workload.batch());
      out().printf("%9s", "processes");
      for (int i = 0; i < processes.size(); i++) {
        List<SimulatedRead> results = simulator.run(workload, processes.get(i));
        if (i == 0) {
          results.forEach(result -> out().printf("%16s", result.mode()));
          out().println();
        }
        out().printf("%,9d", processes.get(i));
        results.forEach(this::print);
        out().println();
        rows.addAll(results);
      }
    }
    return new Results(true, calibration, seed, rows);
  }

  private void print(SimulatedRead result) {
    out().printf(Locale.ROOT, "%,9.0f %5.1fx", result.seconds(), result.speedup());
  }

  private Calibration calibration() {
    Calibration calibration = Calibration.THESIS;
    if (calibrationFile != null) {
      try {
        calibration = new ObjectMapper().readValue(calibrationFile.toFile(), Calibration.class);
      } catch (IOException e) {
        throw new UsageException(
            "--calibration %s: cannot be read: %s".formatted(calibrationFile, e.getMessage()));
      }
    }
    if (probe == null) {
      return calibration;
    }
    if (!Files.isDirectory(probe)) {
      throw new UsageException("--probe " + probe + ": no such folder");
    }
    return LocalProbe.measure(calibration, probe);
  }

  private static SimulatedWorkload workload(String database) {
    return switch (database) {
      case "cifar" -> SimulatedWorkload.CIFAR;
      case "imagenet" -> SimulatedWorkload.IMAGENET;
      default ->
          throw new UsageException("--database " + database + ": expected cifar or imagenet");
    };
  }
}
