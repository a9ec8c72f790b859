package dev.tandem.sync.request;

import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import java.util.Objects;

/**
 * One tensor of one rank that is to travel.
 *
 * @param tensor borrowed until the completion is called
 * @param weight this rank's share in a sum
 * @param visibility whether the program may act on the result before the step ends
 */
public record Request(
    TensorView tensor,
    Signature signature,
    float weight,
    Visibility visibility,
    Completion completion) {

  /** When the program looks at a result. */
  public enum Visibility {
    /** As soon as it is there: later requests may depend on it. */
    AT_ONCE,
    /** When the step ends: no request of the same step depends on it. */
    AT_STEP_END
  }

  public Request {
    Objects.requireNonNull(completion);
    if (tensor.dtype() != signature.dtype() || !tensor.shape().equals(signature.shape())) {
      throw new IllegalArgumentException(
          "tensor %s is %s %s, not %s"
              .formatted(tensor.name(), tensor.dtype(), tensor.shape(), signature));
    }
    boolean scaled = weight != 1 || signature.scale() != 1;
    if (scaled && tensor.dtype() != DType.FLOAT32 && tensor.dtype() != DType.FLOAT64) {
      throw new IllegalArgumentException(
          "tensor %s is %s; only float32 and float64 can be weighted"
              .formatted(tensor.name(), tensor.dtype()));
    }
  }

  /** A gradient: its weighted sum is looked at when the step ends. */
  public static Request gradient(TensorView tensor, float weight, Completion completion) {
    return gradient(tensor, GradientRule.SUM, weight, completion);
  }

  /** A gradient that is treated as the rule says. */
  public static Request gradient(
      TensorView tensor, GradientRule rule, float weight, Completion completion) {
    Signature signature = rule.signature(tensor.name(), tensor.dtype(), tensor.shape());
    return new Request(tensor, signature, weight, Visibility.AT_STEP_END, completion);
  }

  /** A sum that the program waits for before it goes on. */
  public static Request sum(TensorView tensor, Completion completion) {
    Signature signature = Signature.sum(tensor.dtype(), tensor.shape());
    return new Request(tensor, signature, 1, Visibility.AT_ONCE, completion);
  }

  public String name() {
    return tensor.name();
  }
}
