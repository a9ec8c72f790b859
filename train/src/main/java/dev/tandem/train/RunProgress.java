package dev.tandem.train;

import dev.tandem.data.order.Position;
import dev.tandem.data.order.Steps;
import java.util.HashMap;
import java.util.Map;

/**
 * How far a run is: all that a checkpoint keeps besides the tensors; immutable.
 *
 * @param position where the next step begins
 * @param batch samples of the next step, over all ranks
 * @param smoothedLoss the guard's; not a number before the first step
 * @param sizing what the batch sizing policy keeps
 */
record RunProgress(
    Position position, int batch, double smoothedLoss, BestModel best, String sizing) {

  /** The beginning of a run with this batch. */
  static RunProgress start(int batch) {
    return new RunProgress(Position.START, batch, Double.NaN, BestModel.NONE, "");
  }

  /** As values of a checkpoint. */
  Map<String, String> values(Steps steps, long seed) {
    Map<String, String> values = new HashMap<>();
    values.put("step", Long.toString(position.step()));
    values.put("epoch", Long.toString(steps.order().epochOf(position.sample())));
    values.put("seed", Long.toString(seed));
    values.put("position", steps.save(position));
    values.put("batch", Integer.toString(batch));
    values.put("smoothed-loss", Double.toString(smoothedLoss));
    values.put("best-accuracy", Double.toString(best.accuracy()));
    values.put("best-step", Long.toString(best.step()));
    values.put("validations-without-gain", Integer.toString(best.withoutGain()));
    values.put("batch-sizing", sizing);
    return values;
  }

  /** Reads what {@link #values} gave; refuses a position in another order of samples. */
  static RunProgress of(Map<String, String> values, Steps steps) {
    return new RunProgress(
        steps.restore(values.get("position")),
        Integer.parseInt(values.get("batch")),
        Double.parseDouble(values.get("smoothed-loss")),
        new BestModel(
            Double.parseDouble(values.get("best-accuracy")),
            Long.parseLong(values.get("best-step")),
            Integer.parseInt(values.get("validations-without-gain"))),
        values.get("batch-sizing"));
  }
}
