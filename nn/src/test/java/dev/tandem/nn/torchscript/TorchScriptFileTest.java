package dev.tandem.nn.torchscript;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Network;
import dev.tandem.nn.internal.LayerCases;
import dev.tandem.nn.models.PublishedModels;
import dev.tandem.nn.onnx.EveryLayer;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.weights.Answers;
import dev.tandem.nn.weights.Python;
import dev.tandem.nn.weights.Weights;
import dev.tandem.testkit.TestSeed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What we write, opened by Debian's PyTorch, which is years older than our engine. */
class TorchScriptFileTest {

  @TempDir Path folder;

  @Test
  void pythonGivesTheSameAnswersOfSmallModels() throws Exception {
    Map<String, NetworkSpec> models = PublishedModels.small();
    models.put("all layers", EveryLayer.spec());
    models.put("volumes", EveryLayer.volumes());
    check(models);
  }

  /** Each kind of layer alone, with shapes and windows at random. */
  @Test
  void pythonGivesTheSameAnswersOfEveryLayer() throws Exception {
    Map<String, NetworkSpec> models = new LinkedHashMap<>();
    for (LayerCases layer : LayerCases.draw(TestSeed.of(TorchScriptFileTest.class).random())) {
      if (layer.inputs().size() == 1) {
        models.put(
            models.size() + " " + layer,
            layer.layer().output(layer.inputs()).extents().size() == 1
                ? NetworkSpec.of(layer.inputs().getFirst(), layer.layer())
                : NetworkSpec.of(layer.inputs().getFirst(), layer.layer(), new Flatten("flat")));
      }
    }
    check(models);
  }

  @Test
  @Tag("slow")
  void pythonGivesTheSameAnswersOfLargeModels() throws Exception {
    for (Map.Entry<String, NetworkSpec> model : PublishedModels.large().entrySet()) {
      System.out.println(model.getKey());
      check(Map.of(model.getKey(), model.getValue()));
    }
  }

  @Test
  void weightsHaveTheirNamesInPython() throws Exception {
    Path file = folder.resolve("names.pt");
    NetworkSpec spec = PublishedModels.small().get("ResNet-18 small");
    List<String> names = new ArrayList<>();
    try (Network network = Answers.network(spec, new Seed(1))) {
      TorchScriptFile.write(file, spec, Weights.of(network));
      Weights.of(network).tensors().values().stream()
          .map(view -> view.name() + " " + view.shape())
          .forEach(names::add);
    }
    String printed =
        Python.run(
            List.of("torch"),
            """
            module = torch.jit.load(sys.argv[1])
            for name, tensor in sorted(module.state_dict().items()):
                print(name, list(tensor.shape))
            """,
            file);
    assertEquals(String.join("\n", names.stream().sorted().toList()), printed);
  }

  @Test
  void aFolderThatIsNotThereIsOneLine() {
    Path file = folder.resolve("nowhere").resolve("model.pt");
    NetworkSpec spec = EveryLayer.volumes();
    try (Network network = Answers.network(spec, new Seed(1))) {
      Weights weights = Weights.of(network);
      var e =
          assertThrows(WorkFailedException.class, () -> TorchScriptFile.write(file, spec, weights));
      assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
      assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    }
  }

  /** One Python for all models: it starts slowly. */
  private void check(Map<String, NetworkSpec> models) throws Exception {
    Seed seed = TestSeed.of(TorchScriptFileTest.class);
    List<Object> arguments = new ArrayList<>();
    Map<String, float[]> expected = new LinkedHashMap<>();
    for (Map.Entry<String, NetworkSpec> model : models.entrySet()) {
      NetworkSpec spec = model.getValue();
      Path file = folder.resolve(expected.size() + ".pt");
      try (Network network = Answers.network(spec, seed)) {
        TorchScriptFile.write(file, spec, Weights.of(network));
        float[] samples = Answers.samples(spec, seed, 2);
        expected.put(model.getKey(), Answers.of(network, samples));
        ByteBuffer bytes = ByteBuffer.allocate(4 * samples.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(samples);
        Files.write(folder.resolve(file + ".in"), bytes.array());
      }
      arguments.add(file + ":" + spec.input().toString().replaceAll("[\\[\\] ]", ""));
    }
    Python.run(
        List.of("torch", "numpy"),
        """
        for argument in sys.argv[1:]:
            file, shape = argument.split(':')
            module = torch.jit.load(file)
            samples = numpy.fromfile(file + '.in', numpy.float32)
            with torch.no_grad():
                answers = module(torch.from_numpy(samples).reshape(
                    2, *[int(extent) for extent in shape.split(',')]))
            answers.numpy().tofile(file + '.out')
        """,
        arguments.toArray());
    int number = 0;
    for (Map.Entry<String, float[]> answer : expected.entrySet()) {
      byte[] bytes = Files.readAllBytes(folder.resolve(number++ + ".pt.out"));
      float[] actual = new float[bytes.length / 4];
      ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(actual);
      Answers.assertClose(answer.getKey(), answer.getValue(), actual);
    }
  }
}
