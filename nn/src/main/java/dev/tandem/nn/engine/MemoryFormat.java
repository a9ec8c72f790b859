package dev.tandem.nn.engine;

/** The order of a tensor's elements in memory, with libtorch's number for it. */
public enum MemoryFormat {
  CONTIGUOUS(0),
  CHANNELS_LAST(2),
  CHANNELS_LAST_3D(3);

  private final int code;

  MemoryFormat(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
