package dev.tandem.bench.checkpoint;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.DebianTorch;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * torch.save and fsync by Debian's PyTorch, of tensors of the same shapes: a process that holds the
 * state and saves it on request.
 */
final class TorchSaving implements Saving {

  private final Process process;
  private final Writer input;
  private final BufferedReader output;

  private TorchSaving(Process process) {
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts the process and waits until it has the state. */
  static TorchSaving start(ModelState state, BenchFolder scratch) {
    Path script = scratch.path().resolve("torch_save.py");
    if (!Files.exists(script)) {
      script = scratch.extract(TorchSaving.class, "torch_save.py");
    }
    Path shapes = scratch.path().resolve("shapes-" + state.name());
    try {
      Files.write(shapes, state.tree().tensors().values().stream().map(TorchSaving::line).toList());
      TorchSaving saving =
          new TorchSaving(
              new ProcessBuilder(DebianTorch.PYTHON, script.toString(), shapes.toString())
                  .redirectError(ProcessBuilder.Redirect.DISCARD)
                  .start());
      if (!saving.answer().equals("ready")) {
        saving.close();
        throw new WorkFailedException("torch.save did not start");
      }
      return saving;
    } catch (IOException e) {
      throw FileErrors.failure("start torch.save of", shapes, e);
    }
  }

  private static String line(TensorView tensor) {
    return tensor.name()
        + "\t"
        + tensor.shape().extents().stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private String answer() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new WorkFailedException("the process of torch.save ended");
    }
    return line;
  }

  @Override
  public String format() {
    return "torch.save";
  }

  @Override
  public String mode() {
    return "rank0";
  }

  @Override
  public int ranks() {
    return 1;
  }

  @Override
  public Times save(Path folder) {
    try {
      input.write(folder.resolve("state.pt") + "\n");
      input.flush();
      double seconds = Double.parseDouble(answer());
      return Times.waiting(seconds);
    } catch (IOException e) {
      throw FileErrors.failure("have torch.save write to", folder, e);
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
