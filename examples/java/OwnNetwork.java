import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Add;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.GlobalPool;
import dev.tandem.nn.spec.NetworkBuilder;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingResult;
import java.nio.file.Path;

/** A graph of layers with shortcuts, on the digits that ./tandem demo draws. */
public final class OwnNetwork {

  /** Arguments are settings, such as epochs=2. */
  public static void main(String[] settings) {
    TrainingResult result =
        Training.of(Path.of("examples/glyphs.yaml")).network(network()).set(settings).run();
    System.out.printf(
        "accuracy %.3f after %d steps, in %s%n",
        result.accuracy(), result.steps(), result.folder());
  }

  private static NetworkSpec network() {
    NetworkBuilder network = new NetworkBuilder(Shape.of(1, 28, 28));
    network.add(new Convolution("stem", 16, 3, 2, 1)); // filters, kernel, stride, padding
    String before = network.add(Activation.relu("stem.relu"));
    for (int block = 1; block <= 2; block++) {
      String name = "block" + block;
      network.add(new Convolution(name + ".conv", 16, 3, 1, 1));
      String inner = network.add(new BatchNorm(name + ".norm"));
      network.add(new Add(name + ".sum"), before, inner); // the shortcut
      before = network.add(Activation.relu(name + ".relu"));
    }
    network.add(GlobalPool.average("pool"));
    network.add(new FullyConnected("scores", 10, true));
    return network.build();
  }
}
