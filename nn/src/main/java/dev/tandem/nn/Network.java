package dev.tandem.nn;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * A network in memory: its parameters, the gradients of the last batch, and the passes that compute
 * them.
 *
 * <p>Parameters and gradients live in native memory that the network owns until it is closed; the
 * views and buffers that it hands out are that very memory, so what a caller writes there (an
 * averaged gradient, a restored parameter) is what the network uses next. One thread at a time may
 * use a network and its views.
 */
public final class Network implements AutoCloseable {

  private final Engine engine;
  private final NetworkSpec spec;
  private final DType dtype;
  private final Arena arena = Arena.ofShared();
  private final Bucket parameters;
  private final Bucket gradients;
  private final List<Layer> layers = new ArrayList<>();

  private Network(Engine engine, NetworkSpec spec, DType dtype) {
    engine.enter();
    this.engine = engine;
    this.spec = spec;
    this.dtype = dtype;
    List<ParameterSpec> all = spec.parameters();
    parameters = new Bucket(arena, "", dtype, all);
    gradients = new Bucket(arena, "", dtype, all);
    List<Shape> inputs = spec.layerInputs();
    int first = 0;
    for (int i = 0; i < spec.layers().size(); i++) {
      LayerSpec layer = spec.layers().get(i);
      layers.add(layer(layer, inputs.get(i), first));
      first += layer.parameters(inputs.get(i)).size();
    }
  }

  /** A network in float32 with first parameters that depend on the seed alone. */
  public static Network create(Engine engine, NetworkSpec spec, Seed seed) {
    return create(engine, spec, seed, DType.FLOAT32);
  }

  /**
   * A network that computes with elements of this type.
   *
   * @param dtype FLOAT32, or FLOAT64 for checks of gradients
   */
  public static Network create(Engine engine, NetworkSpec spec, Seed seed, DType dtype) {
    if (dtype != DType.FLOAT32 && dtype != DType.FLOAT64) {
      throw new UsageException("a network computes in FLOAT32 or FLOAT64, not in " + dtype);
    }
    Network network = new Network(engine, spec, dtype);
    List<ParameterSpec> all = spec.parameters();
    for (int i = 0; i < all.size(); i++) {
      FirstValues.fill(network.parameters().get(i), all.get(i), seed);
    }
    return network;
  }

  public NetworkSpec spec() {
    return spec;
  }

  /** The type of parameters, gradients and images. */
  public DType dtype() {
    return dtype;
  }

  /** The parameters by layer, in the order of {@link NetworkSpec#parameters}. */
  public List<TensorView> parameters() {
    return parameters.views();
  }

  /** The gradients, with the names and order of the parameters. */
  public List<TensorView> gradients() {
    return gradients.views();
  }

  /** The memory of all parameters as one segment, with gaps of zeros for alignment. */
  public MemorySegment parameterBuffer() {
    return parameters.buffer();
  }

  /** The memory of all gradients as one segment, laid out as that of the parameters. */
  public MemorySegment gradientBuffer() {
    return gradients.buffer();
  }

  /**
   * Computes the mean loss of a batch and overwrites the gradients with those of that mean.
   *
   * @param images native memory with the batch's images one after the other, each channel by
   *     channel and line by line, elements of the network's type; only read. At an address that is
   *     a multiple of 64 the engine takes the same path every time.
   * @param labels native memory with one 64-bit integer for each image; only read
   */
  public double forwardBackward(MemorySegment images, MemorySegment labels, int batch) {
    return forwardBackward(images, labels, batch, () -> {});
  }

  /**
   * As {@link #forwardBackward(MemorySegment, MemorySegment, int)}, for whoever wants to know how
   * long each of the two takes.
   *
   * @param afterForward called when the loss is known and the way back begins
   */
  public double forwardBackward(
      MemorySegment images, MemorySegment labels, int batch, Runnable afterForward) {
    check(images, labels, batch);
    return inScope(
        () -> {
          List<Layer.Pass> passes = new ArrayList<>();
          Tensor value = imageTensor(images, batch);
          for (Layer layer : layers) {
            Layer.Pass pass = layer.forward(value);
            passes.add(pass);
            value = pass.output();
          }
          var loss = SoftmaxCrossEntropy.meanLoss(value, labelTensor(labels, batch));
          afterForward.run();
          Tensor gradient = loss.scoreGradient();
          for (int i = layers.size() - 1; i >= 0; i--) {
            layers.get(i).backwardWeights(passes.get(i), gradient);
            if (i > 0) {
              gradient = layers.get(i).backwardData(passes.get(i), gradient);
            }
          }
          return loss.meanLoss();
        });
  }

  /** Compares the network's answers with the labels; memory as in {@link #forwardBackward}. */
  public Evaluation evaluate(MemorySegment images, MemorySegment labels, int batch) {
    check(images, labels, batch);
    return inScope(
        () -> {
          Tensor value = imageTensor(images, batch);
          for (Layer layer : layers) {
            value = layer.forward(value).output();
          }
          return SoftmaxCrossEntropy.evaluate(value, labelTensor(labels, batch));
        });
  }

  /** Frees all memory; views of it can no longer be read. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      layers.forEach(Layer::close);
      parameters.close();
      gradients.close();
      arena.close();
    }
  }

  Bucket parameterBucket() {
    return parameters;
  }

  Bucket gradientBucket() {
    return gradients;
  }

  /** Runs work of the engine and frees all that it allocated. */
  <T> T inScope(Supplier<T> work) {
    if (!arena.scope().isAlive()) {
      throw new IllegalStateException("the network is closed");
    }
    engine.enter();
    try (PointerScope _ = new PointerScope()) {
      return work.get();
    } catch (RuntimeException e) {
      throw new WorkFailedException(
          "the compute engine failed: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString()),
          e);
    }
  }

  private Layer layer(LayerSpec layer, Shape input, int first) {
    return switch (layer) {
      case LayerSpec.Convolution convolution ->
          new ConvolutionLayer(convolution, parameters, gradients, first);
      case LayerSpec.FullyConnected fullyConnected ->
          new FullyConnectedLayer(parameters, gradients, first);
      case LayerSpec.Relu relu -> new PlainLayers.Relu();
      case LayerSpec.MaxPool pool -> new PlainLayers.MaxPool(pool);
      case LayerSpec.GlobalAveragePool pool -> new PlainLayers.GlobalAveragePool(input);
      case LayerSpec.Flatten flatten -> new PlainLayers.Flatten(input);
    };
  }

  private Tensor imageTensor(MemorySegment images, int batch) {
    List<Long> extents = spec.input().extents();
    if (extents.size() != 3) {
      return Torch.tensor(images, dtype, batch, spec.input().elements());
    }
    long channels = extents.get(0);
    long height = extents.get(1);
    long width = extents.get(2);
    if (channels == 1) {
      // One channel is the same in both memory orders: say that it is the engine's faster one.
      return Torch.strided(
          images,
          dtype,
          new long[] {batch, 1, height, width},
          new long[] {height * width, 1, width, 1});
    }
    return Torch.tensor(images, dtype, batch, channels, height, width)
        .contiguous(MemoryFormat.ChannelsLast);
  }

  private static Tensor labelTensor(MemorySegment labels, int batch) {
    return Torch.tensor(labels, DType.INT64, batch);
  }

  private void check(MemorySegment images, MemorySegment labels, int batch) {
    if (batch < 1) {
      throw new IllegalArgumentException("a batch has at least 1 image, not " + batch);
    }
    long imageBytes = spec.input().elements() * dtype.bytes() * batch;
    checkMemory("images", images, imageBytes);
    checkMemory("labels", labels, (long) Long.BYTES * batch);
    for (int i = 0; i < batch; i++) {
      long label = labels.getAtIndex(ValueLayout.JAVA_LONG, i);
      if (label < 0 || label >= spec.classes()) {
        throw new UsageException(
            "label %d of image %d in the batch is not one of the network's %d classes"
                .formatted(label, i, spec.classes()));
      }
    }
  }

  private static void checkMemory(String what, MemorySegment memory, long needed) {
    if (!memory.isNative() || memory.byteSize() < needed) {
      throw new IllegalArgumentException(
          "%s must be native memory of at least %d bytes, not %s".formatted(what, needed, memory));
    }
  }
}
