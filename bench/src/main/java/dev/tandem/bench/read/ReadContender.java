package dev.tandem.bench.read;

/** Somebody who reads the records of a case in processes of his own. */
interface ReadContender {

  /** As in the results. */
  String name();

  /** Reads everything, confined as told. */
  ReadOutcome run(ReadCase what, Confinement confinement);
}
