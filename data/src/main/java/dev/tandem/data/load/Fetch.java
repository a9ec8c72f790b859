package dev.tandem.data.load;

import dev.tandem.data.RecordBlock;
import java.util.List;

/** Some steps whose records are read together. */
public interface Fetch {

  /** The steps, one after the other. */
  List<StepSamples> steps();

  /** About how much memory the records will take. */
  long expectedBytes();

  /** Brings the records of all steps into memory, those of the first step first. */
  RecordBlock read();
}
