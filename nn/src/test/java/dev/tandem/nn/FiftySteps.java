package dev.tandem.nn;

import dev.tandem.core.Seed;
import dev.tandem.nn.models.DigitsNetwork;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Trains fifty steps and tells a fingerprint of the parameters. */
final class FiftySteps {

  private FiftySteps() {}

  public static void main(String[] arguments) throws NoSuchAlgorithmException {
    System.out.println(
        fingerprint(new Seed(Long.parseLong(arguments[0])), Integer.parseInt(arguments[1])));
  }

  static String fingerprint(Seed seed, int threads) throws NoSuchAlgorithmException {
    Batches batches = Batches.glyphs(seed.derive("images"), 80);
    try (Network network = Network.create(Engine.start(threads), DigitsNetwork.spec(), seed);
        Optimizer optimizer = new SgdMomentum(network, DigitsNetwork.optimizer())) {
      for (int step = 0; step < 50; step++) {
        batches.part(step % 10 * 8, 8).train(network);
        optimizer.step(0.01);
      }
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(network.parameterBuffer().toArray(ValueLayout.JAVA_BYTE));
      return HexFormat.of().formatHex(digest.digest());
    }
  }
}
