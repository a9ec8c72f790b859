package dev.tandem.train.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.data.augment.ArrayStatistics;
import dev.tandem.data.augment.AugmentationText;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.load.BadRecords;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Shuffle;
import dev.tandem.data.read.LoadRequest;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.rows.Columns;
import dev.tandem.data.source.ClassNames;
import dev.tandem.data.source.DataPart;
import dev.tandem.nn.spec.LossKind;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.yaml.Default;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where samples come from and what becomes of them.
 *
 * @param path stands for train and test, where they are left out; empty once it has done so
 * @param train whatever {@link dev.tandem.data.source.Sources} opens; of a data set that comes in
 *     two halves its training half
 * @param test likewise its test half
 * @param split the fraction of the records that is for tests, where train and test are the same and
 *     the data set has no test half: chosen by a hash of the images' names, or of the records'
 *     numbers, and the seed
 * @param augment what is done to training images, as {@link AugmentationText} reads it
 * @param testAugment what is done to test images
 * @param records what records are
 * @param normaliseTargets how targets that are values become numbers of zero mean and unit variance
 * @param mixup how much training samples are mixed in pairs, with their targets: both parameters of
 *     a beta distribution, 0.2 to 0.4 as a rule; 0 for not at all
 * @param epochEnd what happens to the batch in which an epoch ends
 * @param read how the records of an LMDB database are read
 * @param cache whether an LMDB database is brought into memory while it is first read
 * @param locate how the modes prov, coal and stag learn where records are
 * @param threads that decode, in each rank
 * @param fetchThreads that read, in each rank
 * @param prefetchMegabytes memory for what is read ahead
 * @param skipBadRecords bad records that may be left out
 * @param reuse how samples are served several times before others are read; empty if they are not
 * @param share samples that several runs of a host have in common; empty if each has its own
 * @param seed of the order of samples, of augmentation and of the split; empty if it is that of the
 *     run
 * @param columns of a table, if the records are rows of one; from the database of them
 * @param classNames names of the classes in the order of the labels; may be empty
 */
public record DataConfig(
    @JsonProperty(access = JsonProperty.Access.WRITE_ONLY) @Default("") String path,
    @Default("") String train,
    @Default("") String test,
    @Default("0") double split,
    @Default("") String augment,
    @Default("") String testAugment,
    @Default("auto") RecordKind records,
    @Default("0") double mixup,
    @Default("compute") Normalise normalise,
    @Default("compute") Normalise normaliseTargets,
    @Default("index") Shuffle shuffle,
    @Default("exact") EpochEnd epochEnd,
    @Default("auto") ReadMode read,
    @Default("auto") CachePolicy cache,
    @Default("auto") Locate locate,
    @Default("1") int threads,
    @Default("1") int fetchThreads,
    @Default("256") long prefetchMegabytes,
    @Default("0") long skipBadRecords,
    Optional<ReuseConfig> reuse,
    Optional<ShareConfig> share,
    Optional<Long> seed,
    Optional<Columns> columns,
    @Default("[]") List<String> classNames) {

  public DataConfig {
    train = place("train", train, path);
    test = place("test", test, path);
    path = "";
    if (!(split >= 0 && split < 1)) {
      throw new UsageException("split is %s, expected 0 (none) to 0.9".formatted(split));
    }
    if (split > 0 && !train.equals(test)) {
      throw new UsageException(
          "split is %s, but test names other data than train: leave one of the two out"
              .formatted(split));
    }
    classNames = List.copyOf(classNames);
    if (!(mixup >= 0 && mixup <= 4)) {
      throw new UsageException("mixup is %s, expected 0 (none) to 4".formatted(mixup));
    }
    AugmentationText.parse(augment);
    AugmentationText.parse(testAugment);
    new LoadRequest(read, cache, locate, shuffle, 1); // checks
    Require.atLeast("prefetch-megabytes", 1, prefetchMegabytes);
    Require.atLeast("skip-bad-records", 0, skipBadRecords);
    loader(threads, fetchThreads, prefetchMegabytes, skipBadRecords); // checks
  }

  private static String place(String key, String path, String otherwise) {
    String place = path.isEmpty() ? otherwise : path;
    if (place.isEmpty()) {
      throw new UsageException(key + " is missing");
    }
    return Require.absolute(place);
  }

  /** The same with all that the training data tells, unless it has been told already. */
  DataConfig resolved(NetworkSpec network, FirstRecord first, long runSeed) {
    RecordKind kind = records.resolved(network, first);
    if (kind == RecordKind.ARRAYS) {
      return ofArrays(network, runSeed);
    }
    int channels = Math.toIntExact(network.input().extents().getFirst());
    return with(
        kind,
        normalise.computed(part(Split.TRAIN, runSeed), locate, channels),
        Normalise.NONE,
        columns,
        classNames.isEmpty() ? namesFound(network.classes()) : classNames);
  }

  private DataConfig ofArrays(NetworkSpec network, long runSeed) {
    if (!augment.isEmpty() || !testAugment.isEmpty()) {
      throw new UsageException(
          "%s is for images, but data.train holds arrays"
              .formatted(augment.isEmpty() ? "test-augment" : "augment"));
    }
    Optional<Columns> known = columns.or(() -> Columns.of(Path.of(train)));
    boolean classes = network.loss() == LossKind.SOFTMAX_CROSS_ENTROPY;
    List<String> names =
        classNames.isEmpty() && classes ? namesFound(network.classes()) : classNames;
    Normalise targets = classes ? Normalise.NONE : normaliseTargets;
    if (!normalise.open() && !targets.open()) {
      return with(RecordKind.ARRAYS, normalise, targets, known, names);
    }
    ArrayStatistics statistics = Normalise.ofArrays(part(Split.TRAIN, runSeed), locate);
    return with(
        RecordKind.ARRAYS,
        normalise.or(statistics.inputs()),
        targets.or(statistics.targets()),
        known,
        names);
  }

  private DataConfig with(
      RecordKind kind,
      Normalise inputs,
      Normalise targets,
      Optional<Columns> table,
      List<String> names) {
    return new DataConfig(
        path,
        train,
        test,
        split,
        augment,
        testAugment,
        kind,
        mixup,
        inputs,
        targets,
        shuffle,
        epochEnd,
        read,
        cache,
        locate,
        threads,
        fetchThreads,
        prefetchMegabytes,
        skipBadRecords,
        reuse,
        share,
        seed,
        table,
        names);
  }

  private List<String> namesFound(int classes) {
    Path data = Path.of(train);
    if (!Files.exists(data)) {
      return List.of(); // a run whose data has gone can still be used
    }
    List<String> found = ClassNames.of(data);
    return found.size() == classes ? found : List.of();
  }

  /** What a configuration with this seed trains on, or tests with. */
  public DataPart part(Split half, long runSeed) {
    Path data = Path.of(half == Split.TRAIN ? train : test);
    return new DataPart(
        data, half, split, new Seed(seed.orElse(runSeed)), Path.of(train), classNames);
  }

  /** Whether the training data is what it tests with. */
  boolean testsOnTrainingData() {
    Path data = Path.of(train);
    return train.equals(test) && split == 0 && !SourceFormat.hasHalves(data, SourceFormat.of(data));
  }

  /** How bytes become floats. */
  public Normalisation normalisation() {
    return new Normalisation(normalise.mean(), normalise.deviation());
  }

  /** How targets that are values become numbers of zero mean and unit variance. */
  public Normalisation targetNormalisation() {
    return new Normalisation(normaliseTargets.mean(), normaliseTargets.deviation());
  }

  /** How training samples are read, in this number of epochs. */
  public LoadRequest trainingRequest(long epochs) {
    return new LoadRequest(read, cache, locate, shuffle, (double) epochs);
  }

  /** How test samples are read, which come in key order. */
  public LoadRequest testRequest(long epochs) {
    return new LoadRequest(read, cache, locate, Shuffle.NONE, (double) epochs);
  }

  /** How loaders work. */
  public LoaderOptions loader() {
    return loader(threads, fetchThreads, prefetchMegabytes, skipBadRecords);
  }

  private static LoaderOptions loader(int threads, int fetch, long megabytes, long skipped) {
    BadRecords bad = skipped == 0 ? BadRecords.FATAL : new BadRecords.Skip(skipped);
    return new LoaderOptions(threads, fetch, megabytes << 20, bad);
  }
}
