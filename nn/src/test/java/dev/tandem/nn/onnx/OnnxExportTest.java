package dev.tandem.nn.onnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Network;
import dev.tandem.nn.internal.LayerCases;
import dev.tandem.nn.models.PublishedModels;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.LayerNorm;
import dev.tandem.nn.spec.LocalResponseNorm;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.weights.Answers;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.weights.Weights;
import dev.tandem.testkit.Python;
import dev.tandem.testkit.TestSeed;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What we export, read by ONNX Runtime, by ONNX's own checker, and by ourselves. */
class OnnxExportTest {

  @TempDir Path folder;

  @Test
  void othersAndWeGiveTheSameAnswersOfSmallModels() throws Exception {
    for (Map.Entry<String, NetworkSpec> model : PublishedModels.small().entrySet()) {
      check(model.getKey(), model.getValue(), 3);
    }
    check("all layers", EveryLayer.spec(), 3);
    check("all layers of volumes", EveryLayer.volumes(), 2);
  }

  @Test
  @Tag("slow")
  void othersAndWeGiveTheSameAnswersOfLargeModels() throws Exception {
    for (Map.Entry<String, NetworkSpec> model : PublishedModels.large().entrySet()) {
      System.out.println(model.getKey());
      check(model.getKey(), model.getValue(), 2);
    }
  }

  /** Each kind of layer alone, with shapes and windows at random. */
  @Test
  void everyLayerOfAnyShapeGivesTheSameAnswers() throws Exception {
    Seed seed = TestSeed.of(OnnxExportTest.class);
    for (LayerCases layer : LayerCases.draw(seed.random())) {
      if (layer.inputs().size() == 1 && !isBeyondTheRuntime(layer)) {
        NetworkSpec spec =
            layer.layer().output(layer.inputs()).extents().size() == 1
                ? NetworkSpec.of(layer.inputs().getFirst(), layer.layer())
                : NetworkSpec.of(layer.inputs().getFirst(), layer.layer(), new Flatten("flat"));
        check(layer.toString(), spec, 2, seed);
      }
    }
  }

  /**
   * ONNX Runtime has normalisation across the channels of images alone, not of volumes, and refuses
   * to normalise rows of a single value.
   */
  private static boolean isBeyondTheRuntime(LayerCases layer) {
    Shape input = layer.inputs().getFirst();
    return switch (layer.layer()) {
      case LocalResponseNorm norm ->
          norm.across() == LocalResponseNorm.Across.CHANNELS && input.extents().size() == 4;
      case LayerNorm _ -> input.extents().getLast() == 1;
      default -> false;
    };
  }

  @Test
  void theCheckerOfOnnxFindsNothing() throws Exception {
    Path file = folder.resolve("checked.onnx");
    for (NetworkSpec spec : List.of(EveryLayer.spec(), EveryLayer.volumes())) {
      try (Network network = Answers.network(spec, new Seed(3))) {
        OnnxFile.write(file, spec, Weights.of(network));
      }
      String printed =
          Python.run(
              List.of("onnx", "onnx.checker", "onnx.shape_inference"),
              """
              model = onnx.load(sys.argv[1])
              onnx.checker.check_model(model, full_check=True)
              inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
              print([d.dim_param or d.dim_value
                     for d in inferred.graph.output[0].type.tensor_type.shape.dim])
              """,
              file);
      assertEquals("['batch', %d]".formatted(spec.classes()), printed);
    }
  }

  private void check(String name, NetworkSpec spec, int batch) throws Exception {
    check(name, spec, batch, TestSeed.of(OnnxExportTest.class));
  }

  private void check(String name, NetworkSpec spec, int batch, Seed seed) throws Exception {
    Path file = folder.resolve("model.onnx");
    try (Network network = Answers.network(spec, seed)) {
      OnnxFile.write(file, spec, Weights.of(network));
      float[] samples = Answers.samples(spec, seed, batch);
      float[] expected = Answers.of(network, samples);
      Answers.assertClose(name, expected, OnnxRuntime.answers(file, spec, samples, batch));
      ImportedNetwork back = OnnxFile.read(file);
      assertEquals(spec.withoutHelpers(), back.spec(), name);
      try (Network again = Answers.imported(back)) {
        assertArrayEquals(expected, Answers.of(again, samples), name);
      }
    }
  }
}
