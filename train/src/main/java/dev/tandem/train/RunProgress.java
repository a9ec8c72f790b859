package dev.tandem.train;

import dev.tandem.core.UsageException;
import dev.tandem.data.order.Position;
import dev.tandem.data.order.Steps;
import dev.tandem.data.reuse.ReuseOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How far a run is: all that a checkpoint keeps besides the tensors; immutable.
 *
 * @param position where the next step begins
 * @param batch samples of the next step, over all ranks
 * @param smoothedLoss the guard's; not a number before the first step
 * @param share which samples of a share were taken, if the position does not say it
 * @param sizing what the batch sizing policy keeps
 */
record RunProgress(
    Position position,
    int batch,
    double smoothedLoss,
    BestModel best,
    String sizing,
    Optional<String> share) {

  /** The value that names the order of samples under reuse. */
  private static final String REUSE = "data-reuse";

  /** The value of the best validation; checkpoints of old have best-accuracy instead. */
  private static final String BEST = "best-score";

  private static final String SHARE = "data-share";
  private static final String NO_REUSE = "none";

  /** The beginning of a run with this batch. */
  static RunProgress start(int batch) {
    return new RunProgress(Position.START, batch, Double.NaN, BestModel.NONE, "", Optional.empty());
  }

  /** The same with another batch from now on. */
  RunProgress withBatch(int other) {
    return new RunProgress(position, other, smoothedLoss, best, sizing, share);
  }

  /**
   * As values of a checkpoint.
   *
   * @param epoch complete epochs
   */
  Map<String, String> values(Steps steps, Optional<ReuseOrder> reuse, long epoch, long seed) {
    Map<String, String> values = new HashMap<>();
    values.put("step", Long.toString(position.step()));
    values.put("epoch", Long.toString(epoch));
    values.put("seed", Long.toString(seed));
    values.put("position", steps.save(position));
    values.put("batch", Integer.toString(batch));
    values.put("smoothed-loss", Double.toString(smoothedLoss));
    values.put(BEST, Double.toString(best.score()));
    values.put("best-step", Long.toString(best.step()));
    values.put("validations-without-gain", Integer.toString(best.withoutGain()));
    values.put("batch-sizing", sizing);
    share.ifPresent(taken -> values.put(SHARE, taken));
    reuse.ifPresent(order -> values.put(REUSE, order.fingerprint()));
    return values;
  }

  /** Reads what {@link #values} gave; refuses a position in another order of samples. */
  static RunProgress of(Map<String, String> values, Steps steps, Optional<ReuseOrder> reuse) {
    String saved = values.getOrDefault(REUSE, NO_REUSE);
    String wanted = reuse.map(ReuseOrder::fingerprint).orElse(NO_REUSE);
    if (!saved.equals(wanted)) {
      throw new UsageException(
          "the checkpoint was saved with data.reuse %s, but this run has %s: resume with the same"
              .formatted(saved, wanted));
    }
    return new RunProgress(
        steps.restore(values.get("position")),
        Integer.parseInt(values.get("batch")),
        Double.parseDouble(values.get("smoothed-loss")),
        new BestModel(
            Double.parseDouble(values.getOrDefault(BEST, values.get("best-accuracy"))),
            Long.parseLong(values.get("best-step")),
            Integer.parseInt(values.get("validations-without-gain"))),
        values.get("batch-sizing"),
        Optional.ofNullable(values.get(SHARE)));
  }
}
