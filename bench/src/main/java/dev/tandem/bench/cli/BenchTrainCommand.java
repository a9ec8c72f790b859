package dev.tandem.bench.cli;

import dev.tandem.bench.gpu.GpuNetwork;
import dev.tandem.bench.gpu.GpuTrainBenchmark;
import dev.tandem.bench.train.TrainBenchmark;
import dev.tandem.bench.train.TrainBenchmark.Effort;
import dev.tandem.bench.train.TrainCase;
import dev.tandem.bench.train.TrainNetwork;
import dev.tandem.bench.train.TrainRow;
import dev.tandem.cli.ConsoleProgress;
import dev.tandem.cli.TandemCommand;
import dev.tandem.core.UsageException;
import dev.tandem.nn.Device;
import dev.tandem.nn.Engine;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures training steps. */
@Command(
    name = "train",
    description = {
      "Measures training steps against Debian's PyTorch (python3-torch, eager, channels-last): the"
          + " same network, weights, batch and update on both sides, which is checked first; all"
          + " sides are started once and take turns; medians of rounds. Cases: serial (1 and 2"
          + " threads), bf16 (our bfloat16 against our float32), ddp (2 processes, against"
          + " DistributedDataParallel over Gloo, also how much of the synchronisation is exposed)."
          + " Networks: cifar (Caffe's, batch 64), resnet18 (images of 32x32, batch 64) and, when"
          + " named, resnet18-imagenet (224x224, batch 16).",
      "With --device cuda: against the PyTorch of the machine's own python3 on the same GPU (eager"
          + " with fused SGD; torch.compile where it is worth its time): resnet18 (32x32) and"
          + " resnet50 (224x224), TF32 and bf16, batches of 32 and 256; also what the exchange of"
          + " two ranks on one GPU and copies of the state for checkpoints add to a step."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem bench train --quick                      few and short turns, a minute",
      "  ./tandem bench train --rounds 15 --json t.json",
      "  ./tandem bench train --network cifar --case serial,bf16",
      "  ./tandem bench train --device cuda --network resnet18"
    })
final class BenchTrainCommand extends TandemCommand {

  private static final int GPU_ROUNDS = 5;
  private static final int QUICK_GPU_ROUNDS = 2;

  @Option(names = "--quick", description = "Few and short turns, smaller batches: about a minute.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Turns of every side. Default: 11, with --quick at most 3.")
  private Integer rounds;

  @Option(
      names = "--network",
      paramLabel = "NAME",
      split = ",",
      description = "Only these: cifar, resnet18, resnet18-imagenet. Default: the first two.")
  private List<String> networks = List.of();

  @Option(
      names = "--case",
      paramLabel = "NAME",
      split = ",",
      description = "Only these: serial, bf16, ddp. Default: all.")
  private List<String> cases = List.of();

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      defaultValue = "cpu",
      description = "Where both sides train: cpu, cuda or cuda:N. Default: ${DEFAULT-VALUE}")
  private String device;

  @Override
  protected Object run() {
    if (rounds != null && rounds < 1) {
      throw new UsageException("--rounds must be at least 1");
    }
    Device chosen = new Device(device);
    return chosen.gpu() ? onGpu(chosen) : onProcessor(chosen);
  }

  private GpuTrainBenchmark.Outcome onGpu(Device chosen) {
    if (!cases.isEmpty()) {
      throw new UsageException("--case does not go with --device " + device);
    }
    Engine.choose(chosen); // A GPU that is not there is said at once.
    int turns = rounds != null ? rounds : quick ? QUICK_GPU_ROUNDS : GPU_ROUNDS;
    Set<GpuNetwork> selected =
        networks.isEmpty()
            ? EnumSet.allOf(GpuNetwork.class)
            : EnumSet.copyOf(networks.stream().map(GpuNetwork::of).toList());
    GpuTrainBenchmark.Outcome outcome =
        new GpuTrainBenchmark(device, turns, selected, ConsoleProgress.system()).run();
    new GpuTrainTable(outcome).print(out());
    return outcome;
  }

  private List<TrainRow> onProcessor(Device chosen) {
    if (!chosen.equals(Device.CPU)) {
      throw new UsageException("--device %s: expected cpu, cuda or cuda:N".formatted(device));
    }
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    if (rounds != null) {
      effort = effort.withRounds(rounds);
    }
    TrainBenchmark.Outcome outcome =
        new TrainBenchmark(effort, selectedNetworks(), selectedCases(), ConsoleProgress.system())
            .run();
    outcome.missing().ifPresent(reason -> out().println("not compared with PyTorch: " + reason));
    if (!outcome.rows().isEmpty()) {
      print(outcome.rows());
    }
    return outcome.rows();
  }

  private Set<TrainNetwork> selectedNetworks() {
    return networks.isEmpty()
        ? Arrays.stream(TrainNetwork.values())
            .filter(TrainNetwork::usual)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(TrainNetwork.class)))
        : EnumSet.copyOf(networks.stream().map(TrainNetwork::of).toList());
  }

  private Set<TrainCase> selectedCases() {
    return cases.isEmpty()
        ? EnumSet.allOf(TrainCase.class)
        : EnumSet.copyOf(cases.stream().map(TrainCase::of).toList());
  }

  private void print(List<TrainRow> rows) {
    out().println(rows.getFirst().machine());
    out()
        .printf(
            "medians of %d rounds, images/s%s%n",
            rows.getFirst().rounds(),
            quick ? " (quick: few and short turns, smaller batches)" : "");
    out()
        .printf(
            "%-7s %-18s %7s %10s %22s %10s  %-20s %7s %15s%n",
            "case", "network", "threads", "ours", "least..most", "peer", "", "ratio", "");
    for (TrainRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%-7s %-18s %7s %,10.1f %22s %,10.1f  %-20s %6.2fx %15s%n",
              row.what(),
              row.network(),
              row.ranks() > 1 ? row.ranks() + " x " + row.threads() : row.threads(),
              row.imagesPerSecond(),
              String.format(
                  Locale.ROOT,
                  "%,.1f..%,.1f",
                  row.leastImagesPerSecond(),
                  row.mostImagesPerSecond()),
              row.peerImagesPerSecond(),
              row.peer(),
              row.ratio(),
              String.format(Locale.ROOT, "%.2f..%.2f", row.leastRatio(), row.mostRatio()));
      if (row.ranks() > 1) {
        out()
            .printf(
                Locale.ROOT,
                "        exposed synchronisation per step (batch %d, %d pairs of steps, 95%%): ours"
                    + " %.2f ms (%.2f..%.2f), theirs %.2f ms (%.2f..%.2f): %s%n",
                row.exposedBatch(),
                row.exposedPairs(),
                row.exposedMillis(),
                row.exposedMillisLow(),
                row.exposedMillisHigh(),
                row.peerExposedMillis(),
                row.peerExposedMillisLow(),
                row.peerExposedMillisHigh(),
                row.peerExposedMillis() <= 0
                    ? "not comparable, theirs is within the noise"
                    : String.format(
                        Locale.ROOT,
                        "%.2f (%.2f..%.2f) of theirs",
                        row.exposedRatio(),
                        row.exposedRatioLow(),
                        row.exposedRatioHigh()));
      }
    }
  }
}
