package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.LayerCost;
import dev.tandem.nn.spec.LayerNames;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.train.RankMemory;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what a configuration would train, without training it. */
@Command(
    name = "show",
    description = {
      "Shows the network of a configuration or run layer by layer: output shapes, parameters and"
          + " operations per sample; then the memory that each process needs and the operations of"
          + " a step. The data need not be there."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem show train.yaml",
      "  ./tandem show train.yaml -n 4 --set batch.global=512 --set network.model=resnet50",
      "  ./tandem show runs/train --json costs.json"
    })
final class ShowCommand extends TandemCommand {

  private static final String PREFIXES = " kMGTPE";

  @Parameters(paramLabel = "CONFIG", description = "A configuration, or the folder of a run.")
  private Path file;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description =
          "Number of processes that share a step. Default: as many as the sizes of the strategy"
              + " make, or 1")
  private Integer given;

  private int ranks = 1;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Override a configuration key, such as batch.global=64; may be repeated.")
  private List<String> settings = List.of();

  /** A layer in {@code --json}; operations are those of one sample. */
  record Layer(
      String name,
      String kind,
      List<String> inputs,
      List<Long> output,
      long parameters,
      long activations,
      long forward,
      long backward) {}

  /**
   * What {@code --json} gets.
   *
   * @param samplesPerPass of a process, for which activations are kept
   * @param forward operations for one sample; likewise backward
   * @param step operations of a step over all processes
   */
  record Results(
      String config,
      List<Long> input,
      List<Layer> layers,
      long parameters,
      long forward,
      long backward,
      long step,
      int batch,
      int ranks,
      int samplesPerPass,
      long parameterBytes,
      long gradientBytes,
      long optimizerBytes,
      long activationBytes,
      long totalBytes) {}

  @Override
  protected Object run() {
    if (given != null && given < 1) {
      throw new UsageException("-n must be at least 1, not " + given);
    }
    boolean run = Files.isDirectory(file);
    Path config = run ? file.resolve(TrainingConfig.FILE) : file;
    if (run && !Files.exists(config)) {
      throw new UsageException(
          file + " is a folder without " + TrainingConfig.FILE + ": name a configuration or a run");
    }
    TrainingConfig training = ConfigFile.read(config).with(settings).withoutData();
    ranks = given != null ? given : training.strategy().mesh().leastRanks();
    training.checkRanks(ranks);
    List<LayerCost> layers =
        LayerCost.of(
            training.network(),
            LayerNames.matching(training.network(), training.fineTune().freeze()));
    RankMemory memory = RankMemory.of(training, layers, ranks);
    Results results = results(config, training, layers, memory);
    print(training, layers, memory, results);
    return results;
  }

  private Results results(
      Path config, TrainingConfig training, List<LayerCost> layers, RankMemory memory) {
    long forward = LayerCost.sum(layers, LayerCost::forward);
    long backward = LayerCost.sum(layers, LayerCost::backward);
    return new Results(
        config.toString(),
        training.network().input().extents(),
        layers.stream()
            .map(
                layer ->
                    new Layer(
                        layer.name(),
                        layer.kind(),
                        layer.inputs(),
                        layer.output().extents(),
                        layer.parameters(),
                        layer.activations(),
                        layer.forward(),
                        layer.backward()))
            .toList(),
        LayerCost.sum(layers, LayerCost::parameters),
        forward,
        backward,
        (forward + backward) * training.batch().global(),
        training.batch().global(),
        ranks,
        memory.samples(),
        memory.parameters(),
        memory.gradients(),
        memory.optimizer(),
        memory.activations(),
        memory.total());
  }

  private void print(
      TrainingConfig training, List<LayerCost> layers, RankMemory memory, Results results) {
    int name = width("layer", layers.stream().map(LayerCost::name).toList());
    int kind = width("type", layers.stream().map(LayerCost::kind).toList());
    int shape = width("output", layers.stream().map(layer -> layer.output().toString()).toList());
    String row = "%-" + name + "s  %-" + kind + "s  %-" + shape + "s  %12s  %10s  %10s%s%n";
    out().printf(row, "layer", "type", "output", "parameters", "forward", "backward", "");
    out().printf(row, NetworkSpec.INPUT, "", training.network().input(), "", "", "", "");
    String before = NetworkSpec.INPUT;
    for (LayerCost layer : layers) {
      out()
          .printf(
              row,
              layer.name(),
              layer.kind(),
              layer.output(),
              layer.parameters() == 0 ? "" : "%,d".formatted(layer.parameters()),
              operations(layer.forward()),
              operations(layer.backward()),
              layer.inputs().equals(List.of(before))
                  ? ""
                  : "  from " + String.join(", ", layer.inputs()));
      before = layer.name();
    }
    out().println();
    fact("layers", "%,d".formatted(layers.size()));
    fact("parameters", "%,d".formatted(results.parameters()));
    fact(
        "per sample",
        "%s forward, %s backward".formatted(flop(results.forward()), flop(results.backward())));
    fact(
        "per step",
        "%s over %,d samples in %d %s"
            .formatted(
                flop(results.step()),
                results.batch(),
                ranks,
                ranks == 1 ? "process" : "processes"));
    out().printf("%nmemory of each process, for %,d samples per pass%n", memory.samples());
    fact("parameters", bytes(memory.parameters()));
    fact("gradients", bytes(memory.gradients()));
    fact("optimizer state", bytes(memory.optimizer()));
    fact("activations", bytes(memory.activations()));
    fact("together", bytes(memory.total()));
  }

  private void fact(String name, String value) {
    out().printf("%20s: %s%n", name, value);
  }

  private static int width(String heading, List<String> cells) {
    return cells.stream().mapToInt(String::length).reduce(heading.length(), Math::max);
  }

  private static String flop(long count) {
    String number = operations(count);
    return number.isEmpty() ? "none" : number + (number.contains(" ") ? "FLOP" : " FLOP");
  }

  /** With a decimal prefix: 12.3 M. */
  private static String operations(long count) {
    double value = (double) count;
    int power = 0;
    while (value >= 1000 && power < PREFIXES.length() - 1) {
      value /= 1000;
      power++;
    }
    return count == 0
        ? ""
        : power == 0
            ? Long.toString(count)
            : String.format(Locale.ROOT, "%.1f %s", value, PREFIXES.charAt(power));
  }

  private static String bytes(long count) {
    return count < 1 << 20
        ? String.format(Locale.ROOT, "%,.1f KiB", count / 1024.0)
        : String.format(Locale.ROOT, "%,.1f MiB", count / 1048576.0);
  }
}
