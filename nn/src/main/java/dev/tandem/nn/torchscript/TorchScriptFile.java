package dev.tandem.nn.torchscript;

import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.internal.ScriptArchive;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.DurableFile;
import dev.tandem.posix.DurableFiles;
import java.nio.file.Path;
import java.util.List;

/** Writes TorchScript files. */
public final class TorchScriptFile {

  private TorchScriptFile() {}

  /**
   * Replaces the file by a network as it answers: without helper outputs, dropouts doing nothing,
   * normalisations with their running statistics. Its {@code forward} takes a batch of any size;
   * its {@code state_dict} has the weights under their names.
   *
   * @param weights all parameters and buffers of the network
   * @throws WorkFailedException if the file cannot be written
   */
  public static void write(Path file, NetworkSpec network, Weights weights) {
    Engine.prepare();
    NetworkSpec answering = network.withoutHelpers();
    DurableFiles files = DurableFiles.system();
    Path pending = file.resolveSibling(file.getFileName() + ".pending");
    try {
      files.delete(pending);
      // Tells, better than the engine would, if the folder is not there or not writable.
      try (DurableFile _ = files.openOrCreate(pending)) {
        ScriptArchive.write(
            pending,
            ScriptSource.of(answering),
            tensors(answering.parameters(), weights),
            tensors(answering.buffers(), weights));
      }
      try (DurableFile written = files.openOrCreate(pending)) {
        written.force();
      }
      files.rename(pending, file);
    } catch (WorkFailedException e) {
      files.delete(pending);
      throw e;
    } catch (RuntimeException e) {
      files.delete(pending);
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
      throw new WorkFailedException("cannot write " + file + ": " + reason, e);
    }
    files.forceDirectory(file.toAbsolutePath().getParent());
  }

  private static List<TensorView> tensors(List<ParameterSpec> specs, Weights weights) {
    return specs.stream().map(spec -> weights.tensors().get(spec.name())).toList();
  }
}
