package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.UsageException;
import dev.tandem.nn.Device;
import dev.tandem.nn.DeviceChoice;
import dev.tandem.nn.Engine;
import dev.tandem.train.config.ComputeConfig;
import dev.tandem.train.config.ComputeConfig.Precision;
import dev.tandem.train.config.ConfigFile;
import org.junit.jupiter.api.Test;

class AnsweringDeviceTest {

  private static ConfigFile run(String more) {
    return ConfigFile.parse(
        "config.yaml",
        """
        network: {model: digits}
        data: {train: a, test: b, normalise: none}
        schedule: {rate: 0.1}
        epochs: 1
        %s
        """
            .formatted(more));
  }

  private static ComputeConfig of(String more, String device) {
    return AnsweringDevice.of(run(more), device).config().compute();
  }

  /** What this machine would take. */
  private static DeviceChoice here() {
    return Engine.choose(Device.AUTO);
  }

  @Test
  void aRunOfAGpuIsAskedOnWhatIsHere() {
    assumeTrue(!here().device().gpu(), "this machine has a GPU");
    ComputeConfig asked = of("device: cuda:3\nprecision: tf32\nengine: {libtorch: /nowhere}", "");
    assertEquals(Device.AUTO, asked.device());
    assertEquals(Precision.FLOAT32, asked.precision());
    assertEquals("", asked.engine().libtorch());
    assertEquals(Precision.BFLOAT16, of("device: cuda\nprecision: bfloat16", "").precision());
  }

  @Test
  void aRunOfTheProcessorStaysThereUnlessAsked() {
    assertEquals(Device.CPU, of("device: cpu", "").device());
    assertEquals(Device.AUTO, of("device: cpu", "auto").device());
    assertEquals(Device.CPU, of("device: cuda", "cpu").device());
  }

  @Test
  void howGradientsWereCombinedDoesNotMatter() {
    assumeTrue(!here().device().gpu(), "this machine has a GPU");
    ConfigFile run = run("determinism: fast\ngradients: {compression: top-k}");
    var e =
        assertThrows(
            UsageException.class, () -> AnsweringDevice.of(run, "cuda").config().chooseDevice());
    assertEquals(here().reason(), e.getMessage().replace("device: cuda, but ", ""));
  }

  @Test
  void aGpuThatIsNotThereIsOneLine() {
    assumeTrue(!here().device().gpu(), "this machine has a GPU");
    for (String trained : new String[] {"device: cpu", "device: cuda\nprecision: tf32"}) {
      var e =
          assertThrows(
              UsageException.class,
              () -> AnsweringDevice.of(run(trained), "cuda").config().chooseDevice());
      assertTrue(e.getMessage().contains("device: cuda, but "), e.getMessage());
      assertEquals(1, e.getMessage().lines().count());
    }
  }
}
