package dev.tandem.nn.onnx;

import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.weights.PixelNormalisation;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.WholeFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Networks in ONNX files: ours for others' inference engines, and others' for inference and
 * fine-tuning here.
 */
public final class OnnxFile {

  private OnnxFile() {}

  /**
   * A network of several in one file.
   *
   * @param weights all its parameters and buffers
   * @param pixels what the graph does to its input before the first layer
   * @param share its weight in the mean; those of all add up to 1
   */
  public record Member(
      NetworkSpec network, Weights weights, Optional<PixelNormalisation> pixels, double share) {}

  /**
   * Replaces the file by one graph that has all members and answers the weighted mean of their
   * probabilities, or of their values. They take the same samples and answer as many numbers.
   *
   * @param metadata by key
   */
  public static void writeEnsemble(Path file, List<Member> members, Map<String, String> metadata) {
    OnnxModel model = EnsembleExport.export(members);
    Map<String, String> all = new TreeMap<>(metadata);
    all.putAll(model.metadata());
    WholeFiles.replace(file, OnnxWriter.write(new OnnxModel(model.opset(), all, model.graph())));
  }

  /**
   * Replaces the file by a network as it answers: without helper outputs, dropouts doing nothing,
   * normalisations with their running statistics. The batch may have any size.
   *
   * @param weights all parameters and buffers of the network
   */
  public static void write(Path file, NetworkSpec network, Weights weights) {
    write(file, network, weights, Map.of(), Optional.empty());
  }

  /**
   * The same with words about the model.
   *
   * @param metadata by key
   * @param pixels what the graph does to its input before the first layer
   */
  public static void write(
      Path file,
      NetworkSpec network,
      Weights weights,
      Map<String, String> metadata,
      Optional<PixelNormalisation> pixels) {
    OnnxModel model = GraphExport.export(network.withoutHelpers(), weights.tensors());
    if (pixels.isPresent()) {
      model = GraphExport.normalising(model, pixels.get());
    }
    Map<String, String> all = new TreeMap<>(metadata);
    all.putAll(model.metadata());
    WholeFiles.replace(file, OnnxWriter.write(new OnnxModel(model.opset(), all, model.graph())));
  }

  /**
   * The network in a file. What {@link #write} wrote comes back as it was; other graphs are read
   * operator by operator. The weights are views of the mapped file where possible.
   *
   * @throws UsageException if there is something in the graph that we have not; one line that names
   *     file, node and operator
   * @throws WorkFailedException if the file cannot be read or is damaged; one line
   */
  public static ImportedNetwork read(Path file) {
    return read(file, Optional.empty());
  }

  /**
   * The same for a graph that leaves extents of its samples open.
   *
   * @param input the shape of a sample, whose extents take the place of those that are open
   */
  public static ImportedNetwork read(Path file, Optional<Shape> input) {
    try {
      OnnxModel model = OnnxReader.read(WholeFiles.map(file), new ExternalData(file));
      ImportedNetwork own = own(file, model);
      return own != null ? own : GraphImport.read(file.toString(), model, input);
    } catch (UsageException e) {
      throw new UsageException(file + ": " + oneLine(e.getMessage()));
    } catch (WorkFailedException e) {
      boolean named = e.getMessage().contains(file.toString());
      throw named ? e : new WorkFailedException(file + ": " + oneLine(e.getMessage()), e);
    } catch (ArithmeticException | IllegalArgumentException | IndexOutOfBoundsException e) {
      // Numbers of a graph that no network could have.
      throw new WorkFailedException(file + ": damaged: " + oneLine(e.getMessage()), e);
    }
  }

  /** Names in damaged files may have any letters. */
  private static String oneLine(String message) {
    return message.replaceAll("\\p{Cntrl}", "?");
  }

  /** The network of a file of ours, if its graph is still the one that we wrote; else null. */
  private static ImportedNetwork own(Path file, OnnxModel model) {
    String yaml = model.metadata().get(GraphExport.NETWORK);
    if (yaml == null) {
      return null;
    }
    Map<String, TensorView> constants = new HashMap<>();
    model.graph().initializers().forEach(tensor -> constants.put(tensor.name(), tensor));
    NetworkSpec spec;
    try {
      spec = NetworkYaml.parse("network", yaml);
    } catch (UsageException e) {
      return null;
    }
    Map<String, TensorView> weights = new LinkedHashMap<>();
    List<ParameterSpec> wanted = new ArrayList<>(spec.parameters());
    wanted.addAll(spec.buffers());
    for (ParameterSpec parameter : wanted) {
      TensorView tensor = constants.get(parameter.name());
      if (tensor == null || !tensor.shape().equals(parameter.shape())) {
        return null;
      }
      weights.put(parameter.name(), tensor);
    }
    OnnxModel again = GraphExport.export(spec, weights);
    if (model.metadata().containsKey(PixelNormalisation.KEY)) {
      // Whatever its numbers are: they are no part of the network.
      TensorView scale = constants.get(GraphExport.SCALE);
      TensorView shift = constants.get(GraphExport.SHIFT);
      if (scale == null || shift == null) {
        return null;
      }
      again = GraphExport.normalising(again, scale, shift);
    }
    return sameGraph(again.graph(), model.graph(), constants)
        ? new ImportedNetwork(spec, new Weights(file.toString(), weights), List.of(), Set.of())
        : null;
  }

  private static boolean sameGraph(
      OnnxModel.Graph expected, OnnxModel.Graph actual, Map<String, TensorView> constants) {
    for (TensorView tensor : expected.initializers()) {
      TensorView other = constants.get(tensor.name());
      if (other == null
          || other.dtype() != tensor.dtype()
          || !other.shape().equals(tensor.shape())
          || other.data().mismatch(tensor.data()) != -1) {
        return false;
      }
    }
    return expected.nodes().equals(actual.nodes())
        && expected.inputs().equals(actual.inputs())
        && expected.outputs().equals(actual.outputs());
  }
}
