package dev.tandem.nn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.nn.Engine;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.engine.Tensors;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which passes run when layers are frozen: the time is saved, not only the update. */
class FrozenPassesTest {

  private static final NetworkSpec SPEC =
      NetworkSpec.of(
          Shape.of(1, 8, 8),
          new Convolution("conv1", 4, 3, 1, 1),
          new BatchNorm("norm1"),
          Activation.relu("relu1"),
          new Convolution("conv2", 4, 3, 1, 1),
          new BatchNorm("norm2"),
          new MaxPool("pool", 2, 2),
          new Flatten("flatten"),
          new FullyConnected("scores", 3));

  private final List<String> passes = new ArrayList<>();

  @Test
  void theBackwardPassEndsAtTheLowestLayerThatLearns() {
    layerwise(Set.of("conv1", "norm1", "conv2", "norm2"));
    assertEquals(List.of("weights scores"), passes);
  }

  @Test
  void whatIsFrozenInTheMiddlePassesGradientsOnAlone() {
    layerwise(Set.of("norm1", "conv2", "norm2"));
    assertEquals(
        List.of(
            "weights scores",
            "data scores",
            "data flatten",
            "data pool",
            "data norm2",
            "data conv2",
            "data relu1",
            "data norm1",
            "weights conv1"),
        passes);
  }

  private void layerwise(Set<String> frozen) {
    Engine.start(1);
    try (Arena arena = Arena.ofConfined();
        FlatTensors parameters = filled(arena, SPEC.parameters());
        FlatTensors buffers = filled(arena, SPEC.buffers());
        FlatTensors gradients = new FlatTensors(arena, "", DType.FLOAT32, SPEC.parameters());
        Scope _ = new Scope()) {
      Graph graph =
          new Graph(
              SPEC,
              parameters.tensors(),
              buffers.tensors(),
              ScalarType.FLOAT,
              frozen,
              LayerHook.NONE,
              Watched::new);
      Mode mode = new Mode(true, new Seed(1), 0, 0, 2);
      try (GraphRun run =
          new GraphRun(graph, input(), mode, gradients.tensors(), false, false, Optional.empty())) {
        Lockstep lockstep = new Lockstep(List.of(run), null, Optional.empty());
        lockstep.forward();
        passes.clear();
        lockstep.gradient(0, 0, Tensors.of(ScalarType.FLOAT, () -> 1, 2, 3));
        lockstep.backward((_, _) -> {});
      }
    }
  }

  private static Tensor input() {
    return Tensors.of(ScalarType.FLOAT, () -> 1, 2, 1, 8, 8);
  }

  private static FlatTensors filled(Arena arena, List<ParameterSpec> specs) {
    FlatTensors bucket = new FlatTensors(arena, "", DType.FLOAT32, specs);
    for (int i = 0; i < specs.size(); i++) {
      FirstValues.fill(bucket.views().get(i), specs.get(i), new Seed(3));
    }
    return bucket;
  }

  /** A layer that tells of its passes. */
  private final class Watched implements Layer {

    private final String name;
    private final Layer layer;

    Watched(String name, Layer layer) {
      this.name = name;
      this.layer = layer;
    }

    @Override
    public Pass forward(List<Tensor> inputs, Mode mode) {
      return layer.forward(inputs, mode);
    }

    @Override
    public List<Tensor> backwardData(Pass pass, Tensor outputGradient) {
      passes.add("data " + name);
      return layer.backwardData(pass, outputGradient);
    }

    @Override
    public void backwardWeights(Pass pass, Tensor outputGradient, GradientSink sink) {
      if (!sink.gradients().isEmpty()) {
        passes.add("weights " + name);
      }
      layer.backwardWeights(pass, outputGradient, sink);
    }
  }
}
