package dev.tandem.oracle.sync;

/** Adds up where the time of a rank goes, on average over the ranks. Milliseconds. */
final class TimeAccount {

  double compute;
  double background;
  double copy;
  double transfer;
  double busy;
  double window;
  double engineWaits;
  double total;

  void clear() {
    compute = 0;
    background = 0;
    copy = 0;
    transfer = 0;
    busy = 0;
    window = 0;
    engineWaits = 0;
    total = 0;
  }
}
