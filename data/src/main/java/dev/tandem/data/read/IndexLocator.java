package dev.tandem.data.read;

/** Takes places from the record index. */
record IndexLocator(BatchPlan plan, IndexPlaces index) implements Locator {

  @Override
  public void locate(long place, Located record) {
    index.find(plan.ordinal(place), record);
  }
}
