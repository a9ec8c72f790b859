package dev.tandem.tune.task;

/**
 * Which task this is.
 *
 * @param study the name of the study
 * @param number counts from 0; for a trial, its number
 */
public record TaskId(String study, long number) {

  @Override
  public String toString() {
    return study + "/" + number;
  }
}
