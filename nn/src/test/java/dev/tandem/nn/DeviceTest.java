package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import dev.tandem.nn.engine.InstalledTorch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceTest {

  @TempDir private Path root;

  @Test
  void wordsForDevices() {
    assertFalse(new Device("auto").gpu());
    assertTrue(new Device("cuda").gpu());
    assertEquals(3, new Device("cuda:3").number().orElseThrow());
    var unknown = assertThrows(UsageException.class, () -> new Device("tpu"));
    assertEquals("unknown device 'tpu', expected auto, cpu, cuda or cuda:N", unknown.getMessage());
  }

  @Test
  void aMachineWithoutGpuComputesOnTheProcessor() {
    DeviceChoice choice = choice("auto", Optional.empty());
    assertEquals("device: cpu (this machine has no GPU of NVIDIA's)", choice.line());
    assertEquals("device: cuda:1, but this machine has no GPU of NVIDIA's", refused("cuda:1"));
  }

  @Test
  void aGpuNeedsALibtorchThatComputesOnIt() throws IOException {
    Files.createDirectories(root.resolve("dev"));
    Files.createFile(root.resolve("dev/nvidia0"));
    assertEquals(Device.CPU, choice("auto", Optional.empty()).device());
    assertTrue(refused("cuda").contains("no libtorch that computes on GPUs is installed"));
    Path named = root.resolve("named");
    assertTrue(
        assertThrows(UsageException.class, () -> choice("cuda", Optional.of(named)))
            .getMessage()
            .endsWith("the libtorch in " + named + " does not compute on GPUs"));

    Path pip = root.resolve("opt/torch/.venv/lib/python3.12/site-packages/torch/lib");
    install(pip);
    assertEquals(
        new DeviceChoice(new Device("cuda"), Optional.of(pip), "libtorch in " + pip),
        choice("auto", Optional.empty()));
    assertEquals(new Device("cuda:2"), choice("cuda:2", Optional.empty()).device());
    install(named);
    assertEquals(Optional.of(named), choice("cuda", Optional.of(named)).libtorch());
    assertEquals(Optional.empty(), choice("cpu", Optional.empty()).libtorch());
  }

  @Test
  void anActiveEnvironmentComesFirst() throws IOException {
    install(root.resolve("opt/torch/lib/python3.12/site-packages/torch/lib"));
    Path environment = root.resolve("mine");
    Path own = environment.resolve("lib/python3.11/site-packages/torch/lib");
    install(own);
    assertEquals(
        Optional.of(own),
        new InstalledTorch(root, Map.of("VIRTUAL_ENV", environment.toString())).cuda());
  }

  private static void install(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.createFile(folder.resolve("libtorch_cuda.so"));
  }

  private DeviceChoice choice(String device, Optional<Path> named) {
    return DeviceChoice.of(new Device(device), named, new InstalledTorch(root, Map.of()));
  }

  private String refused(String device) {
    return assertThrows(UsageException.class, () -> choice(device, Optional.empty())).getMessage();
  }
}
