package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.UsageException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.PartialSource;
import dev.tandem.data.RecordSource;
import dev.tandem.data.load.ArrayPreparation;
import dev.tandem.data.load.BatchSource;
import dev.tandem.data.load.Feed;
import dev.tandem.data.load.Loader;
import dev.tandem.data.load.LoaderOptions;
import dev.tandem.data.load.PartialArrays;
import dev.tandem.data.load.Plan;
import dev.tandem.data.load.RecordPreparation;
import dev.tandem.data.load.RegionPreparation;
import dev.tandem.data.order.Steps;
import dev.tandem.train.InputPart.Pieces;
import dev.tandem.train.config.StrategyConfig.Input;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How a rank comes by the inputs of its network, when several ranks work on the same samples: one
 * of them reads and hands on what each takes, or each reads. The ranks of a group open the same
 * batches in the same order and take the same number of each.
 *
 * <p>The inputs are the same bits in all three ways. Borrows the group.
 */
public final class GroupInput {

  private final Input mode;
  private final Communicator group;
  private final List<InputPart> parts;

  /**
   * The input of one rank; all ranks of the group call this together.
   *
   * @param group the ranks that work on the same samples
   * @param parts what each of them takes
   */
  GroupInput(Input mode, Communicator group, List<InputPart> parts) {
    this.mode = mode;
    this.group = group;
    this.parts = List.copyOf(parts);
    if (group.size() != parts.size()) {
      throw new IllegalArgumentException(
          "%d parts for %d ranks".formatted(parts.size(), group.size()));
    }
  }

  /** What this rank takes. */
  InputPart part() {
    return parts.get(group.rank());
  }

  /** Batches in the order of samples; a batch has the inputs of this rank, and all targets. */
  BatchSource open(
      RecordSource source,
      Steps steps,
      RecordPreparation preparation,
      Plan plan,
      LoaderOptions options,
      Pieces pieces) {
    if (mode != Input.PARTIAL || part().region().isAll()) {
      return open(
          taken -> new Loader(source, steps, taken, plan, options), preparation, plan, pieces);
    }
    PartialArrays partial = partial(source, preparation);
    RecordSource read = new PartialSource(source, partial.parts());
    return own(new Loader(read, steps, partial, plan, options), pieces);
  }

  /** The same over another order of records. */
  BatchSource open(
      Function<Plan, Feed> feeds,
      RecordPreparation preparation,
      Plan plan,
      LoaderOptions options,
      Pieces pieces) {
    return open(taken -> new Loader(feeds, taken, plan, options), preparation, plan, pieces);
  }

  /** The same over batches of whole samples, which are not made here. */
  BatchSource open(
      Supplier<BatchSource> batches, RecordPreparation preparation, Plan plan, Pieces pieces) {
    if (mode != Input.LEADER && !part().region().isAll()) {
      throw new UsageException("strategy.input: data.share gives whole samples: use leader");
    }
    return open(_ -> batches.get(), preparation, plan, pieces);
  }

  private BatchSource open(
      Function<RecordPreparation, BatchSource> loaders,
      RecordPreparation preparation,
      Plan plan,
      Pieces pieces) {
    if (mode != Input.LEADER || group.size() == 1) {
      return own(loaders.apply(taken(preparation)), pieces);
    }
    Optional<BatchSource> reads =
        group.rank() == 0 ? Optional.of(loaders.apply(preparation)) : Optional.empty();
    return new HandedBatches(group, parts, reads, preparation.targetBytes(), plan, pieces);
  }

  private BatchSource own(BatchSource loader, Pieces pieces) {
    return part().samples().parts() == 1 ? loader : new SharedBatches(loader, part(), pieces);
  }

  private RecordPreparation taken(RecordPreparation preparation) {
    return part().region().isAll()
        ? preparation
        : new RegionPreparation(preparation, part().region());
  }

  private PartialArrays partial(RecordSource source, RecordPreparation preparation) {
    if (!(preparation instanceof ArrayPreparation arrays) || !source.readsParts()) {
      throw new UsageException(
          "strategy.input: partial reads parts of arrays, but this data is read whole: use leader"
              + " or every");
    }
    ArrayRecord.Header first = ArrayRecord.Header.decode(source.record(0).value());
    return arrays.partial(part().region(), first);
  }
}
