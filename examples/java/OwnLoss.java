import dev.tandem.nn.Loss;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingResult;
import java.nio.file.Path;

/** Cross-entropy with smoothed labels, on the digits that ./tandem demo draws. */
public final class OwnLoss {

  private static final double SMOOTHING = 0.1;

  /** Arguments are settings, such as epochs=2. */
  public static void main(String[] settings) {
    TrainingResult result =
        Training.of(Path.of("examples/glyphs.yaml"))
            .loss(Loss.perSample(Loss.Target.LABEL, OwnLoss::smoothed))
            .set(settings)
            .run();
    System.out.printf(
        "smoothed loss %.3f, accuracy %.3f, in %s%n",
        result.loss(), result.accuracy(), result.folder());
  }

  /** The loss of one sample; its gradient by each output goes into the last array. */
  private static double smoothed(float[] outputs, float[] label, float[] gradient) {
    double most = Double.NEGATIVE_INFINITY;
    for (float output : outputs) {
      most = Math.max(most, output);
    }
    double sum = 0;
    for (float output : outputs) {
      sum += Math.exp(output - most);
    }
    double loss = 0;
    for (int i = 0; i < outputs.length; i++) {
      double target = SMOOTHING / outputs.length + (i == (int) label[0] ? 1 - SMOOTHING : 0);
      double logShare = outputs[i] - most - Math.log(sum);
      loss -= target * logShare;
      gradient[i] = (float) (Math.exp(logShare) - target);
    }
    return loss;
  }
}
