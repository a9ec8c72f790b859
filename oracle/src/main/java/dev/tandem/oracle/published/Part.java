package dev.tandem.oracle.published;

import java.util.Locale;

/** What the time of an iteration goes into. */
public enum Part {
  /** Layers. */
  COMPUTE(false),
  /** Cutting activations and putting them together. */
  COPY(false),
  /** Parameters that every device changes. */
  UPDATE(false),
  /** Memory that is released and taken again for large arrays. */
  MEMORY(true),
  /** Activations and their gradients between devices. */
  EXCHANGE(true),
  /** Sums of the parameters' gradients. */
  GRADIENTS(true),
  /** For the slowest device. */
  WAITING(true);

  private final boolean communication;

  Part(boolean communication) {
    this.communication = communication;
  }

  /** Whether it counts as communication, what an iteration takes besides computation. */
  public boolean communication() {
    return communication;
  }

  /** As it is written. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
