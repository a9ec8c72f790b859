package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.nn.Device;
import dev.tandem.nn.Engine;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.oracle.measure.ProfileRequest;
import dev.tandem.oracle.measure.Profiler;
import dev.tandem.oracle.model.ModelSource;
import dev.tandem.oracle.model.ModelSource.Changes;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.ProfileFile;
import dev.tandem.parallel.StrategyText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures what projections are made from. */
@Command(
    name = "profile",
    description = {
      "Measures on this machine what ./tandem plan projects from: the layers of networks, whole and"
          + " in the parts that strategies make of them, updates, copies and collectives, by"
          + " processes that are all busy at once. Nothing is trained. Takes a minute or two."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem profile resnet18-small                  writes profile.json",
      "  ./tandem profile train.yaml -n 4 --samples 16,64 --output four.json",
      "  ./tandem profile lenet --strategies data,filter --output small.json",
      "  ./tandem profile resnet50 --device cuda --samples 32,64 --output gpu.json",
      "  ./tandem profile --collectives-only -n 4"
    })
final class ProfileCommand extends TandemCommand {

  private static final String ALL = "all";

  @Parameters(
      arity = "0..*",
      paramLabel = "NETWORK",
      description = {
        "A built-in network such as resnet50, a network in YAML or ONNX, a configuration or run of"
            + " ./tandem train."
      })
  private List<String> names = List.of();

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      defaultValue = "2",
      description =
          "Processes that are busy at once: as many as will train on a machine. With more than it"
              + " has cores they take turns. Default: ${DEFAULT-VALUE}")
  private int ranks;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "0",
      description = "Threads of the engine in each. Default: a share of the cores")
  private int threads;

  @Option(
      names = "--samples",
      paramLabel = "N",
      split = ",",
      defaultValue = "8,16,32",
      description = "Samples that layers get at once. Default: ${DEFAULT-VALUE}")
  private List<Integer> samples;

  @Option(
      names = "--strategies",
      paramLabel = "S",
      split = ",",
      defaultValue = ALL,
      description =
          "all, or words as --strategy has them, such as data,filter=2,spatial=2x2: whose parts of"
              + " layers are measured, besides whole layers. Default: ${DEFAULT-VALUE}")
  private List<String> strategies;

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      defaultValue = "cpu",
      description =
          "What computes layers: cpu, cuda, where ranks take GPUs in turn, cuda:N or auto. Default:"
              + " ${DEFAULT-VALUE}")
  private String device;

  @Option(names = "--collectives-only", description = "No layers, so no network is named.")
  private boolean collectivesOnly;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      defaultValue = "profile.json",
      description = "The profile. Default: ${DEFAULT-VALUE} in the current folder")
  private Path output;

  @Override
  protected Object run() {
    Profiler profiler = new Profiler(request(), ranks, ConsoleProgress.system());
    Profile profile = profiler.run();
    ProfileFile.write(output, profile);
    print(profile);
    return profile;
  }

  private ProfileRequest request() {
    if (collectivesOnly != names.isEmpty()) {
      throw new UsageException(
          collectivesOnly
              ? "--collectives-only measures no layers: name no network"
              : "name a network whose layers are measured, or use --collectives-only");
    }
    if (samples.stream().anyMatch(count -> count < 1)) {
      throw new UsageException("--samples must be at least 1, not " + samples);
    }
    Engine.choose(new Device(device));
    if (threads < 0) {
      throw new UsageException("--threads must be at least 1, not " + threads);
    }
    Path folder = output.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder) || Files.isDirectory(output)) {
      throw new UsageException("--output %s cannot be written".formatted(output));
    }
    strategies.stream().filter(word -> !word.equals(ALL)).forEach(StrategyText::parse);
    List<ProfileRequest.Named> networks = new ArrayList<>();
    for (String name : names) {
      NetworkSpec network = ModelSource.read(name, Changes.NONE).network();
      networks.add(new ProfileRequest.Named(name, NetworkYaml.write(network)));
    }
    int share = Math.max(1, Runtime.getRuntime().availableProcessors() / Math.max(1, ranks));
    return new ProfileRequest(
        networks,
        samples,
        strategies,
        threads == 0 ? share : threads,
        device,
        ProfileRequest.USUAL_SECONDS,
        ProfileRequest.USUAL_LONGEST);
  }

  private void print(Profile profile) {
    out()
        .printf(
            "%s: %d processes of %d thread%s on %d processor%s%s%n",
            profile.device(),
            profile.ranks(),
            profile.threads(),
            profile.threads() == 1 ? "" : "s",
            profile.processors(),
            profile.processors() == 1 ? "" : "s",
            profile.ranks() * profile.threads() > profile.processors() ? " (oversubscribed)" : "");
    out().printf("%-16s %6s %12s %14s %14s%n", "collective", "ranks", "4 B", "1 MiB", "64 MiB");
    for (String operation :
        profile.collectives().stream().map(Profile.Collective::operation).distinct().toList()) {
      for (int size :
          profile.collectives().stream().map(Profile.Collective::ranks).distinct().toList()) {
        ToDoubleFunction<Long> micros =
            bytes ->
                profile.collectives().stream()
                    .filter(
                        each ->
                            each.operation().equals(operation)
                                && each.ranks() == size
                                && each.bytes() == bytes)
                    .mapToDouble(each -> each.seconds() * 1e6)
                    .findFirst()
                    .orElse(Double.NaN);
        out()
            .printf(
                Locale.ROOT,
                "%-16s %6d %9.1f us %11.1f us %11.1f us%n",
                operation,
                size,
                micros.applyAsDouble(4L),
                micros.applyAsDouble(1L << 20),
                micros.applyAsDouble(64L << 20));
      }
    }
    out()
        .printf(
            "%d layers at %d numbers of samples; wrote %s%n",
            profile.layers().size(),
            profile.layers().stream().mapToInt(layer -> layer.times().size()).max().orElse(0),
            output);
  }
}
