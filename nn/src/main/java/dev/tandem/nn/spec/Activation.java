package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import java.util.List;

/**
 * A function of each element.
 *
 * @param slope of the negative part, for the leaky ReLU alone
 */
public record Activation(String name, Function function, double slope) implements LayerSpec {

  /** Which function; its word in YAML is its name in lower case with hyphens. */
  public enum Function {
    /** The positive part. */
    RELU,
    /** The positive part and a share of the negative. */
    LEAKY_RELU,
    /** The element times the normal distribution function of it, computed exactly. */
    GELU,
    SIGMOID,
    TANH,
    /** The element times its sigmoid, also called swish. */
    SILU
  }

  public static Activation relu(String name) {
    return new Activation(name, Function.RELU, 0);
  }

  public static Activation leakyRelu(String name, double slope) {
    return new Activation(name, Function.LEAKY_RELU, slope);
  }

  public static Activation gelu(String name) {
    return new Activation(name, Function.GELU, 0);
  }

  public static Activation sigmoid(String name) {
    return new Activation(name, Function.SIGMOID, 0);
  }

  public static Activation tanh(String name) {
    return new Activation(name, Function.TANH, 0);
  }

  public static Activation silu(String name) {
    return new Activation(name, Function.SILU, 0);
  }

  @Override
  public String kind() {
    return switch (function) {
      case RELU -> "relu";
      case LEAKY_RELU -> "leaky-relu";
      case GELU -> "gelu";
      case SIGMOID -> "sigmoid";
      case TANH -> "tanh";
      case SILU -> "silu";
    };
  }

  @Override
  public Shape output(List<Shape> inputs) {
    return Checks.single(this, inputs);
  }
}
