package dev.tandem.cli;

import dev.tandem.core.UsageException;
import dev.tandem.ensemble.combine.Averaging;
import dev.tandem.ensemble.combine.EnsembleEvaluation;
import dev.tandem.ensemble.combine.EnsembleFile;
import dev.tandem.ensemble.combine.Members;
import dev.tandem.ensemble.combine.OpenMembers;
import dev.tandem.nn.exchange.ExportFormat;
import dev.tandem.nn.exchange.NetworkFiles;
import dev.tandem.nn.weights.PixelNormalisation;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.ExportMetadata;
import dev.tandem.train.SavedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a trained network for other programs. */
@Command(
    name = "export",
    description =
        "Writes the network of a run, or of one of its checkpoints, to a file for other programs:"
            + " ONNX for inference engines, TorchScript for torch.jit.load, safetensors for the"
            + " weights by name. Names of classes, mean and deviation of pixels, the order of"
            + " channels and the input's size are in the file's metadata. An ensemble, or several"
            + " runs with commas between them, become one ONNX graph that averages their"
            + " probabilities.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./tandem export runs/train --output digits.onnx",
      "  ./tandem export runs/train --output digits.onnx --with-preprocessing",
      "  ./tandem export runs/train --best --output digits.pt",
      "  ./tandem export runs/train/checkpoints/step-000000500 --output weights.safetensors",
      "  ./tandem export runs/ensemble --output ensemble.onnx --combine weighted-loss",
      "  ./tandem train train.yaml --init-from weights.safetensors   starts from them"
    })
final class ExportCommand extends TandemCommand {

  @Parameters(
      paramLabel = "RUN|CHECKPOINT|ENSEMBLE|RUN,RUN...",
      description = "The folder of a run, a checkpoint or an ensemble; or several runs.")
  private Path run;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "The file to write; an existing one is replaced.")
  private Path output;

  @Option(
      names = "--format",
      paramLabel = "KIND",
      description = "onnx, torchscript or safetensors. Default: by the extension of FILE")
  private ExportFormat format;

  @Option(
      names = "--best",
      description = "The checkpoint after the best validation instead of the last one.")
  private boolean best;

  @Option(
      names = "--with-preprocessing",
      description =
          "ONNX: the graph takes pixels of 0 to 255 and normalises them itself. Default: it takes"
              + " normalised pixels; mean and deviation are in its metadata")
  private boolean preprocessing;

  @Mixin private DeviceOption device;
  @Mixin private CombineOption combine;

  /** What {@code --json} gets. */
  record Results(String run, long step, String format, String file, long bytes, long parameters) {}

  @Override
  protected Object run() {
    ExportFormat kind = format == null ? ExportFormat.of(output) : format;
    if (preprocessing && kind != ExportFormat.ONNX) {
      throw new UsageException("--with-preprocessing is for ONNX files, not for " + output);
    }
    Path folder = output.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder) || Files.isDirectory(output)) {
      throw new UsageException(
          Files.isDirectory(output)
              ? "--output %s is a folder, expected a file".formatted(output)
              : "--output %s: no such folder: %s".formatted(output, folder));
    }
    SavedRun.Which which = best ? SavedRun.Which.BEST : SavedRun.Which.LAST;
    Optional<Members> members = Members.of(run.toString());
    if (members.isPresent()) {
      return ensemble(members.get(), which, kind);
    }
    combine.refuse(run);
    try (SavedRun saved = SavedRun.open(run, which, 0, device.word())) {
      Map<String, String> metadata = ExportMetadata.of(saved.config(), preprocessing);
      Optional<PixelNormalisation> pixels =
          preprocessing ? Optional.of(ExportMetadata.pixels(saved.config())) : Optional.empty();
      NetworkFiles.write(output, kind, saved.network(), metadata, pixels);
      return print(kind, saved.network().spec().parameterCount(), saved.step());
    }
  }

  /** Several networks in one file; the step is that of the first. */
  private Results ensemble(Members members, SavedRun.Which which, ExportFormat kind) {
    if (kind != ExportFormat.ONNX) {
      throw new UsageException(
          "an ensemble goes into an ONNX file, not into %s: export its members one by one"
              .formatted(output));
    }
    try (OpenMembers open = OpenMembers.open(members, which, 0, device.word())) {
      if (!(EnsembleEvaluation.combiner(open, combine.method()) instanceof Averaging mean)) {
        throw new UsageException(
            "--combine %s cannot be exported, expected average, weighted-accuracy or weighted-loss"
                .formatted(combine.method().code()));
      }
      long parameters = EnsembleFile.write(output, open, mean, preprocessing);
      out().printf("%20s: %d%n", "members", members.count());
      return print(kind, parameters, open.runs().getFirst().step());
    }
  }

  private Results print(ExportFormat kind, long parameters, long step) {
    long bytes = size(output);
    String word = kind.name().toLowerCase(Locale.ROOT);
    out().printf("%20s: %s%n", "written", output);
    out().printf("%20s: %s%n", "kind", word);
    out().printf("%20s: %,d%n", "bytes", bytes);
    out().printf("%20s: %,d%n", "parameters", parameters);
    out().printf("%20s: %,d%n", "after step", step);
    return new Results(run.toString(), step, word, output.toString(), bytes, parameters);
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }
}
