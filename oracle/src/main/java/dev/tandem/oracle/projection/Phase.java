package dev.tandem.oracle.projection;

import java.util.Locale;

/** What the time of an iteration goes into. Waiting is counted where it happens. */
public enum Phase {
  /** Samples on their way to the devices, as far as a step waits for them. */
  INPUT(Part.INPUT, true),
  FORWARD(Part.PASSES, false),
  BACKWARD(Part.PASSES, false),
  /** Packing and unpacking what travels. */
  COPY(Part.PASSES, false),
  /** Activations and their gradients between ranks. */
  EXCHANGE(Part.PASSES, true),
  /** Sums within normalisations. */
  STATISTICS(Part.PASSES, true),
  /** Stages that wait for others. */
  IDLE(Part.PASSES, true),
  /** Parameters of which ranks keep rows. */
  PARAMETERS(Part.PASSES, true),
  /** Sums of gradients, after what the backward pass hides. */
  GRADIENTS(Part.GRADIENTS, true),
  UPDATE(Part.UPDATE, false);

  /** The parts of an iteration that publications tell apart. */
  public enum Part {
    INPUT("IO"),
    PASSES("FB"),
    GRADIENTS("GE"),
    UPDATE("WU");

    private final String code;

    Part(String code) {
      this.code = code;
    }

    /** Two letters. */
    public String code() {
      return code;
    }
  }

  private final Part part;
  private final boolean communication;

  Phase(Part part, boolean communication) {
    this.part = part;
    this.communication = communication;
  }

  /** To what it belongs. */
  public Part part() {
    return part;
  }

  /** Whether it is communication, rather than work of the device. */
  public boolean communication() {
    return communication;
  }

  /** As it is written. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
