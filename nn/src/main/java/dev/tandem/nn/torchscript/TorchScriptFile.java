package dev.tandem.nn.torchscript;

import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.WholeFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Writes TorchScript files. */
public final class TorchScriptFile {

  /** All entries of an archive are in one folder, whose name is free. */
  private static final String FOLDER = "network/";

  /** The oldest version of the format that PyTorch still writes; all later releases read it. */
  private static final String VERSION = "3\n";

  private TorchScriptFile() {}

  /**
   * Replaces the file by a network as it answers: without helper outputs, dropouts doing nothing,
   * normalisations with their running statistics. Its {@code forward} takes a batch of any size;
   * its {@code state_dict} has the weights under their names. The same network and weights give the
   * same bytes.
   *
   * @param weights all parameters and buffers of the network
   * @throws UsageException if TorchScript cannot have two of the names beside each other
   * @throws WorkFailedException if the file cannot be written
   */
  public static void write(Path file, NetworkSpec network, Weights weights) {
    write(file, network, weights, Map.of());
  }

  /**
   * The same with words about the model, which {@code torch.jit.load} gives as extra files.
   *
   * @param metadata by name
   */
  public static void write(
      Path file, NetworkSpec network, Weights weights, Map<String, String> metadata) {
    NetworkSpec answering = network.withoutHelpers();
    List<TensorView> parameters = tensors(answering.parameters(), weights);
    List<TensorView> buffers = tensors(answering.buffers(), weights);
    ScriptModule root = ScriptModule.of(parameters, buffers);
    byte[] source = ScriptSource.of(answering, root).getBytes(StandardCharsets.UTF_8);
    List<TensorView> data = Stream.concat(parameters.stream(), buffers.stream()).toList();
    WholeFiles.replace(file, out -> write(out, ScriptPickle.of(root), source, data, metadata));
  }

  private static void write(
      DurableFile file,
      byte[] modules,
      byte[] source,
      List<TensorView> data,
      Map<String, String> metadata) {
    try (StoredZip zip = new StoredZip(file)) {
      zip.add(FOLDER + "data.pkl", modules);
      zip.add(FOLDER + "code/" + ScriptSource.PACKAGE + ".py", source);
      for (int i = 0; i < data.size(); i++) {
        zip.add(FOLDER + "data/" + i, data.get(i).data());
      }
      for (Map.Entry<String, String> entry : metadata.entrySet()) {
        byte[] text = entry.getValue().getBytes(StandardCharsets.UTF_8);
        zip.add(FOLDER + "extra/" + entry.getKey(), text);
      }
      zip.add(FOLDER + "constants.pkl", ScriptPickle.ofNoConstants());
      zip.add(FOLDER + "version", VERSION.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw FileErrors.failure("write", file.path(), e);
    }
  }

  private static List<TensorView> tensors(List<ParameterSpec> specs, Weights weights) {
    return specs.stream().map(spec -> weights.tensors().get(spec.name())).toList();
  }
}
