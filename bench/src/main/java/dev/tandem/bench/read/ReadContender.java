package dev.tandem.bench.read;

/** Somebody who reads the records of a case in processes of his own. */
interface ReadContender {

  /** As in the results. */
  String name();

  /** Brings about what must be there, or must not; afterwards the page cache is set up. */
  default void prepare(ReadCase what) {}

  /** Reads everything, confined as told. */
  ReadOutcome run(ReadCase what, Confinement confinement);
}
