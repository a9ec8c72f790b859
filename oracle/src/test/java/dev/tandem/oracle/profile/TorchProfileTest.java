package dev.tandem.oracle.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.oracle.model.ModelSource;
import dev.tandem.oracle.model.ModelSource.Changes;
import dev.tandem.testkit.Python;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tools/profile_torch.py} on a model of PyTorch's own. */
class TorchProfileTest {

  private static final Path TOOL = Path.of("..", "tools", "profile_torch.py").toAbsolutePath();

  /** Modules and functions, in place and not, and two layers that are alike. */
  private static final String MODEL =
      """
      import torch
      import torch.nn as nn
      import torch.nn.functional as F

      class Block(nn.Module):
          def __init__(self, width):
              super().__init__()
              self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
              self.norm = nn.BatchNorm2d(width)
          def forward(self, x):
              y = F.relu(self.norm(self.conv(x)))
              y = y + x
              return y

      class Net(nn.Module):
          def __init__(self):
              super().__init__()
              self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
              self.act = nn.LeakyReLU(inplace=True)
              self.body = nn.Sequential(Block(8), Block(8), nn.MaxPool2d(2))
              self.hidden = nn.Linear(8 * 4 * 4, 20)
              self.drop = nn.Dropout(0.1)
              self.scores = nn.Linear(20, 5)
          def forward(self, x):
              x = self.body(self.act(self.stem(x)))
              x = torch.flatten(x, 1)
              return self.scores(self.drop(torch.tanh(self.hidden(x))))


      def make_model():
          return Net()

      def make_export(file):
          torch.onnx.export(Net(), torch.randn(2, 3, 16, 16), file,
                            training=torch.onnx.TrainingMode.TRAINING)
      """;

  /** Runs the tool in the folder, once for each further argument, which is a command line. */
  private static final String RUN =
      """
      import os, runpy
      tool, folder, commands = sys.argv[1], sys.argv[2], sys.argv[3:]
      os.chdir(folder)
      sys.path.insert(0, folder)
      for command in commands:
          sys.argv = [tool] + command.split()
          try:
              runpy.run_path(tool, run_name='__main__')
              print('exit 0')
          except SystemExit as e:
              print('exit', e.code)
      import mine
      mine.make_export(folder + '/mine.onnx')
      """;

  @TempDir Path folder;

  @BeforeEach
  void writeModel() throws Exception {
    Files.writeString(folder.resolve("mine.py"), MODEL);
  }

  @Test
  void everyLayerOfTheSameNetworkIsInTheProfile() throws Exception {
    String printed =
        Python.run(
            List.of("torch"),
            RUN,
            TOOL,
            folder,
            "mine:make_model --input 3x16x16 --samples 2,6 --rounds 3 --seconds 0.1"
                + " --output profile.json --device cpu --threads 1");
    assertTrue(printed.endsWith("exit 0"), printed);
    assertEquals(2, printed.lines().filter(line -> line.endsWith("%")).count(), printed);
    Profile profile = ProfileFile.read(folder.resolve("profile.json"));
    NetworkSpec network =
        ModelSource.read(folder.resolve("mine.onnx").toString(), Changes.NONE).network();
    ProfiledLayers layers = new ProfiledLayers(profile);
    List<List<Shape>> inputs = network.layerInputs();
    for (int i = 0; i < inputs.size(); i++) {
      LayerSpec layer = network.nodes().get(i).layer();
      assertTrue(layers.measured(layer, inputs.get(i)), layer + " of " + inputs.get(i));
    }

    assertEquals(1, profile.threads());
    assertEquals("float32", profile.type());
    assertFalse(profile.device().isEmpty());
    for (Profile.Layer layer : profile.layers()) {
      assertEquals(
          List.of(2, 6), layer.times().stream().map(Profile.Times::samples).toList(), layer.name());
      for (Profile.Times times : layer.times()) {
        assertTrue(times.forward() > 0 && times.backwardData() > 0, layer.name());
        boolean apart = layer.parameters() > 0 && !layer.kind().equals("batch-norm");
        assertEquals(apart, times.backwardWeights() > 0, layer.name());
      }
    }
    assertEquals(
        network.parameterCount() - 8 * 8 * 9 - 2 * 8,
        profile.layers().stream().mapToLong(Profile.Layer::parameters).sum(),
        "the second block's layers are like the first's");
    assertEquals(
        List.of(0, 1, 2), profile.updates().stream().map(Profile.Update::stateValues).toList());
    assertTrue(profile.gamma() > 0.05 && profile.gamma() < 1, "gamma " + profile.gamma());
  }

  @Test
  void mistakesAreOneLineAndExitCodeTwo() throws Exception {
    String printed =
        Python.run(
            List.of("torch"),
            RUN,
            TOOL,
            folder,
            "mine:no --input 3x16x16",
            "mine --input 3x16x16",
            "mine:make_model --input 3y16",
            "mine:make_model --input 4x16x16");
    assertEquals(4, printed.lines().filter("exit 2"::equals).count(), printed);
    for (String message :
        List.of(
            "MODEL is 'mine:no': module 'mine' has no attribute 'no'",
            "MODEL is 'mine', expected module:function, as in my_module:make_model",
            "--input and --samples are numbers, such as 3x224x224 and 1,8,32",
            "the model does not take 1 samples of 4x16x16: ")) {
      assertTrue(printed.contains("error: " + message), printed);
    }
    assertFalse(Files.exists(folder.resolve("profile.json")));
  }
}
