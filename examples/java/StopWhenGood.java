import dev.tandem.train.RunControl;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.TrainingListener;
import dev.tandem.train.TrainingResult;
import java.nio.file.Path;

/** Ends a run when the loss is small enough, on the digits that ./tandem demo draws. */
public final class StopWhenGood implements TrainingListener {

  private static final double SMALL = 2.0;

  private double smoothed = Double.NaN;

  /** Arguments are settings, such as epochs=2. */
  public static void main(String[] settings) {
    TrainingResult result =
        Training.of(Path.of("examples/glyphs.yaml")).on(new StopWhenGood()).set(settings).run();
    System.out.printf(
        "%s after %d steps, in %s%n",
        result.stopped() ? "stopped" : "ended", result.steps(), result.folder());
  }

  @Override
  public void onStep(TrainingEvent.Step step, RunControl control) {
    smoothed = Double.isNaN(smoothed) ? step.loss() : 0.9 * smoothed + 0.1 * step.loss();
    if (smoothed < SMALL) {
      control.stop("the loss is %.3f".formatted(smoothed));
    }
  }

  @Override
  public void onValidation(TrainingEvent.Epoch validation, RunControl control) {
    System.out.printf("epoch %d: %.3f%n", validation.epoch(), validation.testAccuracy());
  }

  @Override
  public void onEnd(TrainingResult result) {
    System.out.println("saved in " + result.details().checkpoint());
  }
}
