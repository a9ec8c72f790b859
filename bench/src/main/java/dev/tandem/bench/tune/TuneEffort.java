package dev.tandem.bench.tune;

/**
 * How much is measured.
 *
 * @param seeds studies of each function and side
 * @param trials of each study
 * @param suggestTrials trials of the studies whose processor time is measured
 * @param overheadTrials trials that do nothing, of the peer; ours are 2,000
 */
public record TuneEffort(int seeds, int trials, int suggestTrials, int overheadTrials) {

  public static final TuneEffort FULL = new TuneEffort(20, 100, 1000, 2000);

  public static final TuneEffort QUICK = new TuneEffort(3, 30, 100, 300);

  /** Programs that sleep: those of the thesis' grid, or fewer and shorter ones. */
  ScalingCase sleeps() {
    return overheadTrials == QUICK.overheadTrials ? new ScalingCase(8, 0.5) : ScalingCase.THESIS;
  }

  public TuneEffort withSeeds(int count) {
    return new TuneEffort(count, trials, suggestTrials, overheadTrials);
  }
}
