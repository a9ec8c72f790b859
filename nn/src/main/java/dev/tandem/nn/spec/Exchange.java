package dev.tandem.nn.spec;

import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import java.util.List;

/**
 * Where the parts of a network that is split over ranks meet: brings what other ranks have of the
 * input into the form in which the next layer needs it, and gradients back by the exact adjoint. It
 * exists in the local networks of a plan alone; files of networks do not know it.
 *
 * @param role whether it is within the network or at its border to another rank's part
 * @param shape of a sample of the result
 * @param forward from the input to the result; at a {@link Role#SEND} from the input to the other
 *     rank
 * @param backward from the gradient of the result to that of the input
 * @param learns whether gradients go back through a {@link Role#RECEIVE}; of the other roles the
 *     network knows by itself
 */
public record Exchange(
    String name,
    Role role,
    Shape shape,
    Movement forward,
    Movement backward,
    Transfer transfer,
    boolean learns)
    implements LayerSpec {

  /** Where it stands. */
  public enum Role {
    /** Between two layers. */
    WITHIN,
    /** In the place of a layer of another rank: it has no input. */
    RECEIVE,
    /** Hands its input to another rank, which sends back the gradient; nothing follows it. */
    SEND
  }

  /** Why a network with such a layer cannot be written. */
  public UsageException refused() {
    return new UsageException(
        "layer %s is where parts of a split network meet: files have whole networks"
            .formatted(name));
  }

  @Override
  public String kind() {
    return "exchange";
  }

  @Override
  public Shape output(List<Shape> inputs) {
    return shape;
  }
}
