package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import dev.tandem.nn.internal.BatchNormLayer;
import dev.tandem.nn.internal.FirstValues;
import dev.tandem.nn.internal.FlatTensors;
import dev.tandem.nn.internal.GradientSink;
import dev.tandem.nn.internal.Layer;
import dev.tandem.nn.internal.LayerTensors;
import dev.tandem.nn.internal.Layers;
import dev.tandem.nn.internal.Mode;
import dev.tandem.nn.internal.Torch;
import dev.tandem.nn.internal.TransferTime;
import dev.tandem.nn.internal.Workspace;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.spec.SampleShare;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One layer by itself, its three passes apart: for those who split layers across processes and
 * exchange halos, partial sums or slices in between.
 *
 * <p>Owns parameters, gradients and buffers until closed. Values go in and out as rows of native
 * memory, sample by sample and row-major. One forward pass at a time is remembered for the backward
 * passes; used by one thread at a time.
 */
public final class LayerPasses implements AutoCloseable {

  private final Engine engine;
  private final String name;
  private final DType dtype;
  private final List<Shape> inputShapes;
  private final Shape outputShape;
  private final SampleShare inputSamples;
  private final SampleShare outputSamples;
  private final Arena arena;
  private final FlatTensors parameters;
  private final FlatTensors gradients;
  private final FlatTensors buffers;
  private final Workspace workspace = new Workspace();
  private final Layer layer;
  private Layer.Pass pass;
  private int batch;
  private StatisticsReducer statistics;

  /** A layer for inputs of these shapes, with first parameters that depend on the seed alone. */
  public LayerPasses(Engine engine, LayerSpec spec, List<Shape> inputs, DType dtype, Seed seed) {
    engine.enter();
    this.engine = engine;
    arena = engine.hostArena();
    this.dtype = dtype;
    name = spec.name();
    inputShapes = List.copyOf(inputs);
    outputShape = spec.output(inputs);
    boolean exchanges = spec instanceof Exchange;
    inputSamples = exchanges ? ((Exchange) spec).forward().source() : SampleShare.ALL;
    outputSamples = exchanges ? ((Exchange) spec).forward().result() : SampleShare.ALL;
    List<ParameterSpec> parameterSpecs = spec.parameters(inputs);
    FlatTensors.Place place = engine.place(arena);
    parameters = new FlatTensors(place, "", dtype, parameterSpecs);
    gradients = new FlatTensors(place, "", dtype, parameterSpecs);
    buffers = new FlatTensors(place, "", dtype, spec.buffers(inputs));
    for (int i = 0; i < parameterSpecs.size(); i++) {
      FirstValues.fill(parameters.views().get(i), parameterSpecs.get(i), seed);
    }
    for (int i = 0; i < buffers.views().size(); i++) {
      FirstValues.fill(buffers.views().get(i), spec.buffers(inputs).get(i), seed);
    }
    parameters.upload();
    buffers.upload();
    layer =
        Layers.of(
            spec,
            inputs,
            new LayerTensors(
                parameters.tensors(),
                buffers.tensors(),
                List.of(),
                ScalarType.of(dtype),
                engine.accelerator().isPresent(),
                true,
                workspace,
                new TransferTime()));
  }

  /** The parameters: live memory, or on a device a copy of its first values. */
  public List<TensorView> parameters() {
    return parameters.views();
  }

  /** The gradients of the last {@link #backwardWeights}: live memory. */
  public List<TensorView> gradients() {
    return gradients.views();
  }

  /** The shape of one sample after the layer. */
  public Shape outputShape() {
    return outputShape;
  }

  /**
   * Computes the output in training and remembers what the backward passes need. A batch
   * normalisation meets those of other parts where the step says, here and in {@link
   * #backwardData}.
   *
   * @param inputs one segment for each input, of {@code batch} samples or of the share of them that
   *     an {@link Exchange} says
   * @param output where the output goes
   */
  public void forward(
      List<MemorySegment> inputs, int batch, TrainingStep step, MemorySegment output) {
    engine.enter();
    forget();
    this.batch = batch;
    try (Scope _ = new Scope()) {
      List<Tensor> tensors = new ArrayList<>();
      for (int i = 0; i < inputs.size(); i++) {
        // A copy: the caller may reuse its memory before the backward passes.
        tensors.add(Torch.fast(input(inputs.get(i), i).copy().onDevice()));
      }
      statistics = step.statistics();
      pass =
          forward(tensors, new Mode(true, step.seed(), step.number(), step.firstSample(), batch))
              .keep();
      tensors.forEach(Tensor::retain);
      output(output).copy_(pass.output());
    }
  }

  /** Writes the gradient by each input, given that by the output. */
  public void backwardData(MemorySegment outputGradient, List<MemorySegment> inputGradients) {
    engine.enter();
    try (Scope _ = new Scope()) {
      Tensor gradient = Torch.fast(output(outputGradient).onDevice());
      List<Tensor> results = backwardData(gradient);
      for (int i = 0; i < results.size(); i++) {
        input(inputGradients.get(i), i).copy_(results.get(i));
      }
    }
  }

  /** Writes the gradients by the parameters into {@link #gradients}. */
  public void backwardWeights(MemorySegment outputGradient) {
    engine.enter();
    try (Scope _ = new Scope()) {
      Tensor gradient = Torch.fast(output(outputGradient).onDevice());
      layer.backwardWeights(pass(), gradient, new GradientSink(gradients.tensors(), false));
    }
    gradients.download();
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      forget();
      parameters.close();
      gradients.close();
      buffers.close();
      workspace.close();
      arena.close();
    }
  }

  private Layer.Pass forward(List<Tensor> tensors, Mode mode) {
    if (statistics == null || !(layer instanceof BatchNormLayer norm)) {
      return layer.forward(tensors, mode);
    }
    Tensor totals = total(norm.forwardSums(tensors.getFirst()));
    norm.remember(totals, mode);
    return norm.forwardTogether(tensors.getFirst(), totals);
  }

  private List<Tensor> backwardData(Tensor gradient) {
    if (statistics == null || !(layer instanceof BatchNormLayer norm)) {
      return layer.backwardData(pass(), gradient);
    }
    Tensor totals = total(norm.overRanks(norm.backwardSums(pass(), gradient)));
    return List.of(norm.backwardDataTogether(pass(), gradient, totals));
  }

  private Tensor total(Tensor sums) {
    Tensor there = sums.onHost();
    Tensor total = there.copy().zero_();
    statistics.sum(name, List.of(there.memory()), total.memory());
    return total.onDevice();
  }

  private Layer.Pass pass() {
    if (pass == null) {
      throw new IllegalStateException("a forward pass comes before the backward passes");
    }
    return pass;
  }

  private void forget() {
    if (pass != null) {
      pass.release();
      pass.inputs().forEach(Tensor::release);
      pass = null;
    }
  }

  private Tensor input(MemorySegment memory, int index) {
    return tensor(memory, inputShapes.get(index), inputSamples.count(batch));
  }

  private Tensor output(MemorySegment memory) {
    return tensor(memory, outputShape, outputSamples.count(batch));
  }

  private Tensor tensor(MemorySegment memory, Shape sample, long count) {
    long[] extents = new long[sample.extents().size() + 1];
    extents[0] = count;
    System.arraycopy(sample.toArray(), 0, extents, 1, extents.length - 1);
    long bytes = sample.elements() * dtype.bytes() * count;
    if (!memory.isNative() || memory.byteSize() < bytes) {
      throw new IllegalArgumentException(
          "values must be native memory of at least %d bytes, not %s".formatted(bytes, memory));
    }
    return Torch.tensor(memory, dtype, extents);
  }
}
