package dev.tandem.train;

import dev.tandem.comm.Communicator;
import java.nio.file.Path;

/** Where a run is kept. */
@FunctionalInterface
interface RunPlace {

  /** The folder of the run, ready to be written to. All ranks call this together. */
  Path of(Communicator communicator);
}
