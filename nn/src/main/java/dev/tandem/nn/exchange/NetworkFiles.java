package dev.tandem.nn.exchange;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.core.safetensors.Safetensors;
import dev.tandem.nn.Network;
import dev.tandem.nn.onnx.OnnxFile;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.torchscript.TorchScriptFile;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.weights.PixelNormalisation;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.WholeFiles;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
    return read(file, Optional.empty());
  }

  /**
   * The same for files that leave extents of their samples open.
   *
   * @param input the shape of a sample, whose extents take the place of those that are open
   */
  public static ImportedNetwork read(Path file, Optional<Shape> input) {
    return switch (ExportFormat.ending(file)) {
      case "onnx" -> OnnxFile.read(file, input);
      case "yaml", "yml" ->
          new ImportedNetwork(
              NetworkYaml.read(file), new Weights(file.toString(), Map.of()), List.of(), Set.of());
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
    write(file, format, network, Map.of(), Optional.empty());
  }

  /**
   * Replaces a file by a network as it is now.
   *
   * @param metadata what its users need to know, by key
   * @param pixels what is done to pixels before the first layer, if the graph is to do it; ONNX
   *     only
   */
  public static void write(
      Path file,
      ExportFormat format,
      Network network,
      Map<String, String> metadata,
      Optional<PixelNormalisation> pixels) {
    if (pixels.isPresent() && format != ExportFormat.ONNX) {
      throw new UsageException("only ONNX files can have the preparation of images in the graph");
    }
    Weights weights = Weights.of(network);
    switch (format) {
      case ONNX -> OnnxFile.write(file, network.spec(), weights, metadata, pixels);
      case TORCHSCRIPT -> TorchScriptFile.write(file, network.spec(), weights, metadata);
      case SAFETENSORS -> {
        Map<String, String> all = new LinkedHashMap<>(metadata);
        all.put("tandem.network", NetworkYaml.write(network.spec()));
        WholeFiles.replace(file, Safetensors.file(weights.tensors().values(), all));
      }
    }
  }
}
