package dev.tandem.train.answer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.UsageException;
import java.util.List;

/**
 * What is asked of a run.
 *
 * @param run its folder, or that of a checkpoint
 * @param best the checkpoint after the best validation instead of the last one
 * @param threads of each process's engine; 0 for as many as one rank of the run has
 * @param strategy how the network is split over the ranks of a job; empty as in training
 * @param device what computes: empty for a GPU where there is one if the run was trained on one,
 *     else as in training
 * @param data the test set; empty for the run's own
 * @param files what to predict; none if a test set is evaluated
 * @param top number of classes to name
 * @param header whether line 1 of CSV files holds the names of the columns
 */
public record AnswerRequest(
    String run,
    boolean best,
    int threads,
    String strategy,
    String device,
    String data,
    List<String> files,
    int top,
    boolean header) {

  private static final ObjectMapper JSON = new ObjectMapper();

  public AnswerRequest {
    files = List.copyOf(files);
  }

  /** Asks how well the network does on a test set. */
  public static AnswerRequest evaluation(
      String run, boolean best, int threads, String strategy, String device, String data) {
    return new AnswerRequest(run, best, threads, strategy, device, data, List.of(), 1, true);
  }

  /** The same with another number of classes to name. */
  public AnswerRequest withTop(int newTop) {
    return new AnswerRequest(run, best, threads, strategy, device, data, files, newTop, header);
  }

  /** As an argument of a process. */
  String argument() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads what {@link #argument} gave. */
  static AnswerRequest of(String argument) {
    try {
      return JSON.readValue(argument, AnswerRequest.class);
    } catch (JsonProcessingException e) {
      throw new UsageException("a rank got no request: " + e.getOriginalMessage());
    }
  }
}
