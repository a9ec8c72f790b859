import dev.tandem.train.RunControl;
import dev.tandem.train.Training;
import dev.tandem.train.TrainingEvent;
import dev.tandem.train.TrainingListener;
import dev.tandem.train.TrainingResult;
import java.nio.file.Path;

/** Ends a run when the loss no longer falls, on the digits that ./tandem demo draws. */
public final class StopWhenFlat implements TrainingListener {

  private static final int PATIENCE = 3;

  private double smallest = Double.POSITIVE_INFINITY;
  private long since;

  /** Arguments are settings, such as epochs=2. */
  public static void main(String[] settings) {
    TrainingResult result =
        Training.of(Path.of("examples/glyphs.yaml")).on(new StopWhenFlat()).set(settings).run();
    System.out.printf(
        "%s after %d steps, in %s%n",
        result.stopped() ? "stopped" : "ended", result.steps(), result.folder());
  }

  @Override
  public void onStep(TrainingEvent.Step step, RunControl control) {
    if (step.loss() < smallest) {
      smallest = step.loss();
      since = step.step();
    } else if (step.step() - since >= PATIENCE) {
      control.stop("the loss has not fallen since step " + since);
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
