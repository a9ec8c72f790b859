package dev.tandem.oracle.profile;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What layers, updates and collectives take on a device, as measured: what is in a profile file.
 * All times are in seconds. Immutable.
 *
 * @param version of the format
 * @param device in words
 * @param processors that the ranks shared when this was measured; 0 if that is not known
 * @param ranks that were busy at once
 * @param threads of the engine in each rank
 * @param memoryBytes that each rank may take; 0 if that is not known
 * @param type of activations and parameters
 * @param made the day
 * @param copySeconds of packing or unpacking a tensor for other ranks, however small it is
 * @param copySecondsPerByte in addition
 * @param perPass what a pass takes besides its layers
 * @param gamma share of counted activations that are really kept until the backward pass: kept
 *     bytes over those of inputs and outputs of all layers and of the gradients by them
 * @param startUp what the first steps of a run take more than later ones, ascending by layers
 */
public record Profile(
    int version,
    String device,
    int processors,
    int ranks,
    int threads,
    long memoryBytes,
    String type,
    String made,
    List<Layer> layers,
    List<Update> updates,
    double copySeconds,
    double copySecondsPerByte,
    PerPass perPass,
    double gamma,
    List<StartUp> startUp,
    List<Collective> collectives) {

  /** The version that this class is. */
  public static final int VERSION = 1;

  /**
   * A layer.
   *
   * @param name that it had; says nothing
   * @param kind as in YAML
   * @param signature that identifies it, as {@link LayerSignature} has it; empty for a layer that
   *     helps to estimate others only
   * @param inputs shapes of a sample
   * @param output likewise
   * @param parameters number of them
   * @param operations of the forward pass for a sample; 0 if it is to be told from the other values
   * @param times ascending by samples
   */
  public record Layer(
      String name,
      String kind,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String signature,
      List<List<Long>> inputs,
      List<Long> output,
      long parameters,
      long operations,
      List<Times> times) {

    public Layer {
      signature = signature == null ? "" : signature;
      inputs = inputs == null ? List.of() : inputs.stream().map(List::copyOf).toList();
      output = output == null ? List.of() : List.copyOf(output);
      times = times == null ? List.of() : List.copyOf(times);
    }
  }

  /**
   * What the passes of a layer take.
   *
   * @param samples that it gets at once
   * @param backwardData the gradient by the inputs; with that by the parameters where the kernels
   *     compute both at once
   * @param backwardWeights the gradient by the parameters, unless it is in {@code backwardData}
   * @param spread relative standard deviation
   */
  public record Times(
      int samples, double forward, double backwardData, double backwardWeights, double spread) {}

  /**
   * What an optimizer takes.
   *
   * @param stateValues numbers that it keeps for each parameter
   * @param secondsPerByte of parameters, with the norm of the gradients that {@code tandem train}
   *     takes before
   * @param secondsPerTensor in addition
   */
  public record Update(int stateValues, double secondsPerByte, double secondsPerTensor) {}

  /**
   * What a pass takes besides its layers.
   *
   * @param seconds however many there are
   * @param perLayer in addition for each
   * @param waiting share of a pass that ranks which do the same wait for the slowest of them
   * @param waitingAtExchanges the same where they meet at the exchanges of a split network, too
   */
  public record PerPass(
      double seconds, double perLayer, double waiting, double waitingAtExchanges) {

    public PerPass {
      // Files of before have it not.
      waitingAtExchanges = Math.max(waiting, waitingAtExchanges);
    }

    /** Of ranks that are equally fast. */
    public PerPass(double seconds, double perLayer) {
      this(seconds, perLayer, 0, 0);
    }
  }

  /**
   * What steps of a new process take more than those of an old one, because its programs are still
   * being compiled: all of them after the first, until their passes have gone through so many
   * layers.
   */
  public record StartUp(long layers, double seconds) {}

  /**
   * What a collective takes.
   *
   * @param operation {@code allreduce}, {@code allgather}, {@code reduce-scatter}, {@code exchange}
   *     or {@code send}
   * @param ranks of the group
   * @param flows groups that did the same at the same time
   * @param bytes that are reduced, or gathered or scattered together; of messages those that a rank
   *     sends
   * @param seconds from when the last rank has come until all have their results; of {@code send}
   *     until the other rank has the message
   * @param spread relative standard deviation
   */
  public record Collective(
      String operation, int ranks, int flows, long bytes, double seconds, double spread) {

    public Collective {
      flows = Math.max(1, flows);
    }
  }

  /**
   * What the steps after the first take more on average in a new process.
   *
   * @param steps that are counted
   * @param layers that the passes of each go through
   */
  public double startUpSeconds(int steps, int layers) {
    double more = excess((steps + 1L) * layers) - excess(layers);
    return steps == 0 ? 0 : more / steps;
  }

  private double excess(long layers) {
    StartUp before = new StartUp(0, 0);
    for (StartUp point : startUp) {
      if (point.layers >= layers) {
        double share = (double) (layers - before.layers) / (point.layers - before.layers);
        return before.seconds + share * (point.seconds - before.seconds);
      }
      before = point;
    }
    return before.seconds;
  }

  public Profile {
    device = device == null ? "" : device;
    type = type == null ? "float32" : type;
    made = made == null ? "" : made;
    layers = layers == null ? List.of() : List.copyOf(layers);
    updates = updates == null ? List.of() : List.copyOf(updates);
    perPass = perPass == null ? new PerPass(0, 0) : perPass;
    gamma = gamma == 0 ? 1 : gamma;
    startUp = startUp == null ? List.of() : List.copyOf(startUp);
    collectives = collectives == null ? List.of() : List.copyOf(collectives);
  }
}
