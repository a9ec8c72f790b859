package dev.tandem.parallel.mesh;

/** What a layer does along an axis of the mesh. */
public enum Mode {
  /** It takes its inputs as they come, and needs no communication where that is possible. */
  FOLLOW("follow"),
  /** Every rank computes all of it. */
  WHOLE("whole"),
  /** Each rank has other samples. */
  SAMPLES("data"),
  /** Each rank has another part of space. */
  SPACE("spatial"),
  /** Each rank computes some of the outputs, of all inputs; of an attention some of the heads. */
  FILTER("filter"),
  /** Each rank has some of the inputs and computes its share of all outputs. */
  CHANNEL("channel"),
  /** CHANNEL where the inputs arrive split, FILTER otherwise. */
  ALTERNATE("alternate");

  private final String word;

  Mode(String word) {
    this.word = word;
  }

  /** How a configuration names it. */
  public String word() {
    return word;
  }
}
