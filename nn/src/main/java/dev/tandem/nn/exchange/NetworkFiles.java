package dev.tandem.nn.exchange;

import dev.tandem.core.UsageException;
import dev.tandem.core.safetensors.Safetensors;
import dev.tandem.nn.Network;
import dev.tandem.nn.onnx.OnnxFile;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.torchscript.TorchScriptFile;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.WholeFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Networks and weights in files, whose kind is their ending. */
public final class NetworkFiles {

  private NetworkFiles() {}

  /** Whether a file of this name has weights besides a network. */
  public static boolean hasWeights(Path file) {
    return ExportFormat.ending(file).equals("onnx");
  }

  /**
   * The network in a YAML or ONNX file, and its weights if the file has them.
   *
   * @throws UsageException one line that names the file and what is wrong with it
   */
  public static ImportedNetwork read(Path file) {
    return switch (ExportFormat.ending(file)) {
      case "onnx" -> OnnxFile.read(file);
      case "yaml", "yml" ->
          new ImportedNetwork(
              NetworkYaml.read(file), new Weights(file.toString(), Map.of()), List.of());
      default ->
          throw new UsageException(
              file + ": unknown kind of network file; expected .yaml or .onnx");
    };
  }

  /**
   * The weights in a safetensors or ONNX file.
   *
   * @throws UsageException one line that names the file and what is wrong with it
   */
  public static Weights weights(Path file) {
    return switch (ExportFormat.ending(file)) {
      case "onnx" -> OnnxFile.read(file).weights();
      case "safetensors" ->
          Weights.of(
              file.toString(), Safetensors.parse(WholeFiles.map(file), file.toString()).tensors());
      default ->
          throw new UsageException(
              file + ": unknown kind of weights file; expected .safetensors or .onnx");
    };
  }

  /** Replaces a file by a network as it is now. */
  public static void write(Path file, ExportFormat format, Network network) {
    Weights weights = Weights.of(network);
    switch (format) {
      case ONNX -> OnnxFile.write(file, network.spec(), weights);
      case TORCHSCRIPT -> TorchScriptFile.write(file, network.spec(), weights);
      case SAFETENSORS ->
          WholeFiles.replace(
              file,
              Safetensors.file(
                  weights.tensors().values(),
                  Map.of("tandem.network", NetworkYaml.write(network.spec()))));
    }
  }
}
