package dev.tandem.nn;

import dev.tandem.core.UsageException;
import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Scope;
import dev.tandem.nn.engine.Tensor;
import java.util.List;
import java.util.Optional;

/** What is done to all gradients of a network between the backward pass and the update. */
public final class Gradients {

  private static final long PIECE = 1 << 16;

  private Gradients() {}

  /**
   * The Euclidean norm over all parameters, those of the other ranks of a split network included;
   * not finite if one gradient is not.
   */
  public static double norm(Network network) {
    Optional<NormReducer> norms = network.part().norms();
    if (norms.isPresent()) {
      double[] squares =
          network.inScope(
              () ->
                  network.updatedGradientTensors().tensors().stream()
                      .mapToDouble(Gradients::squares)
                      .toArray());
      return Math.sqrt(norms.get().sum(new double[][] {squares})[0]);
    }
    return network.inScope(
        () ->
            network
                .gradientBucket(0)
                .everything()
                .map(gradients -> gradients.norm().item())
                .orElseGet(() -> norm(network.updatedGradientTensors().tensors())));
  }

  private static double norm(List<Tensor> gradients) {
    double squares = 0;
    for (Tensor gradient : gradients) {
      double norm = gradient.norm().item();
      squares += norm * norm;
    }
    return Math.sqrt(squares);
  }

  /** The sum of the squares of all elements in float64. */
  static double squares(Tensor tensor) {
    Tensor row = tensor.reshape(-1);
    double sum = 0;
    // Piece by piece: a copy in float64 stays in caches and takes no memory worth counting.
    for (long from = 0; from < row.numel(); from += PIECE) {
      try (Scope _ = new Scope()) {
        long length = Math.min(PIECE, row.numel() - from);
        Tensor piece = row.narrow(0, from, length).to(ScalarType.DOUBLE);
        sum += piece.mul(piece).sum().item();
      }
    }
    return sum;
  }

  /** Multiplies all gradients: by 1 / n after n batches have been added up. */
  public static void scale(Network network, double factor) {
    network.inScope(
        () -> {
          Optional<Tensor> everything = network.gradientBucket(0).everything();
          everything
              .map(List::of)
              .orElseGet(network.updatedGradientTensors()::tensors)
              .forEach(gradient -> gradient.mul_(factor));
          return null;
        });
  }

  /**
   * Scales gradients whose norm is larger than this down to it.
   *
   * @return the norm before
   */
  public static double clip(Network network, double largestNorm) {
    if (!(largestNorm > 0)) {
      throw new UsageException("the largest gradient norm must be more than 0, not " + largestNorm);
    }
    double norm = norm(network);
    if (norm > largestNorm) {
      scale(network, largestNorm / norm);
    }
    return norm;
  }
}
