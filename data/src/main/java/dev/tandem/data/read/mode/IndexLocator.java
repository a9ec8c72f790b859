package dev.tandem.data.read.mode;

/** Takes places from the record index. */
record IndexLocator(BatchPlan plan, IndexLookup index) implements Locator {

  @Override
  public void locate(long place, RecordLocation record) {
    index.find(plan.ordinal(place), record);
  }
}
