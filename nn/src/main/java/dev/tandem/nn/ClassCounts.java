package dev.tandem.nn;

import dev.tandem.nn.engine.ScalarType;
import dev.tandem.nn.engine.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How often samples of each class were classified right, and, with not too many classes, which were
 * taken for which. Counts batches as they are evaluated; counts of several ranks add up. One
 * thread.
 */
public final class ClassCounts {

  /** With more classes than this it is not counted which are taken for which. */
  public static final int MOST_CONFUSED = 100;

  private static final int TOP = 5;

  private final int classes;

  /** Those within the top five; then a row for each class, or those right and all of each class. */
  private final long[] numbers;

  /** Counts of nothing yet. */
  public ClassCounts(int classes) {
    this.classes = classes;
    this.numbers = new long[1 + classes * (confuses() ? classes : 2)];
  }

  /** Whether {@link #confusion} is counted. */
  public boolean confuses() {
    return classes <= MOST_CONFUSED;
  }

  /** Whether {@link #topFive} says anything: with five classes all are among them. */
  public boolean ranks() {
    return classes > TOP;
  }

  /**
   * Adds a batch.
   *
   * @param scores batch x classes
   * @param answers of int64: the class with the highest score of each sample
   * @param labels of int64: the class of each sample
   */
  void add(Tensor scores, Tensor answers, Tensor labels) {
    MemorySegment score = scores.to(ScalarType.DOUBLE).contiguous().onHost().memory();
    MemorySegment answer = answers.contiguous().onHost().memory();
    MemorySegment label = labels.contiguous().onHost().memory();
    int samples = (int) labels.numel();
    for (int i = 0; i < samples; i++) {
      int is = (int) label.getAtIndex(ValueLayout.JAVA_LONG, i);
      add(is, (int) answer.getAtIndex(ValueLayout.JAVA_LONG, i));
      numbers[0] += ranks() && better(score, (long) i * classes, is) < TOP ? 1 : 0;
    }
  }

  private void add(int label, int answer) {
    if (confuses()) {
      numbers[1 + label * classes + answer]++;
    } else {
      numbers[1 + 2 * label] += label == answer ? 1 : 0;
      numbers[2 + 2 * label]++;
    }
  }

  /** How many classes have a higher score than this one. */
  private int better(MemorySegment scores, long row, int label) {
    double own = scores.getAtIndex(ValueLayout.JAVA_DOUBLE, row + label);
    int better = 0;
    for (int other = 0; other < classes; other++) {
      better += scores.getAtIndex(ValueLayout.JAVA_DOUBLE, row + other) > own ? 1 : 0;
    }
    return better;
  }

  public int classes() {
    return classes;
  }

  /** Samples of a class that were classified right. */
  public long right(int label) {
    return confuses() ? confusion(label, label) : numbers[1 + 2 * label];
  }

  /** Samples of a class. */
  public long count(int label) {
    if (!confuses()) {
      return numbers[2 + 2 * label];
    }
    long count = 0;
    for (int answer = 0; answer < classes; answer++) {
      count += confusion(label, answer);
    }
    return count;
  }

  /** How often samples of a class were taken for another, or rightly for the same. */
  public long confusion(int label, int answer) {
    return numbers[1 + label * classes + answer];
  }

  /** Samples whose class had one of the five highest scores. */
  public long topFive() {
    return numbers[0];
  }

  /** The numbers themselves, as int64: added to those of other ranks they are those of all. */
  public MemorySegment memory() {
    return MemorySegment.ofArray(numbers);
  }
}
