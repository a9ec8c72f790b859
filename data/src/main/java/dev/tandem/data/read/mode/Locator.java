package dev.tandem.data.read.mode;

/** Knows where records are. For one thread, which asks for the places of its plan in order. */
interface Locator {

  /** Says where the record at a place of the plan is. */
  void locate(long place, RecordLocation record);
}
