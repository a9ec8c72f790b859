package dev.tandem.train.config;

import dev.tandem.data.augment.AugmentationText;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.load.BadRecords;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Shuffle;
import java.util.List;

/**
 * Where samples come from and what becomes of them.
 *
 * @param train whatever {@link dev.tandem.data.source.Sources} opens; of a data set that comes in
 *     two halves its training half
 * @param test likewise its test half
 * @param augment what is done to training images, as {@link AugmentationText} reads it
 * @param testAugment what is done to test images
 * @param epochEnd what happens to the batch in which an epoch ends
 * @param threads that decode, in each rank
 * @param fetchThreads that read, in each rank
 * @param prefetchMegabytes memory for what is read ahead
 * @param mostBad bad records that may be left out
 * @param classNames names of the classes in the order of the labels; may be empty
 */
public record DataConfig(
    String train,
    String test,
    String augment,
    String testAugment,
    Normalisation normalisation,
    Shuffle shuffle,
    EpochEnd epochEnd,
    int threads,
    int fetchThreads,
    long prefetchMegabytes,
    long mostBad,
    List<String> classNames) {

  public DataConfig {
    classNames = List.copyOf(classNames);
    AugmentationText.parse(augment);
    AugmentationText.parse(testAugment);
    Require.atLeast("data.prefetch-megabytes", 1, prefetchMegabytes);
    Require.atLeast("data.skip-bad-records", 0, mostBad);
    loader(threads, fetchThreads, prefetchMegabytes, mostBad); // checks
  }

  /** How loaders work. */
  public LoaderOptions loader() {
    return loader(threads, fetchThreads, prefetchMegabytes, mostBad);
  }

  private static LoaderOptions loader(int threads, int fetch, long megabytes, long mostBad) {
    BadRecords bad = mostBad == 0 ? BadRecords.FATAL : new BadRecords.Skip(mostBad);
    return new LoaderOptions(threads, fetch, megabytes << 20, bad);
  }
}
