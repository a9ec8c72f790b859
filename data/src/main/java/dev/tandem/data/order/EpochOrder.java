package dev.tandem.data.order;

/** The order of one epoch: which record stands at which place. Thread-safe. */
@FunctionalInterface
public interface EpochOrder {

  /** The ordinal of the record at this place, {@code 0 <= place < size}. */
  long ordinal(long place);
}
