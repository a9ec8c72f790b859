package dev.tandem.train.config;

import dev.tandem.nn.spec.NetworkSpec;

/** The key {@code data.records}: what the records of a data set are. */
public enum RecordKind {
  /** By the first of them. */
  AUTO,
  IMAGES,
  /** Arrays of numbers of any shape: rows of tables, volumes. */
  ARRAYS;

  RecordKind resolved(NetworkSpec network, FirstRecord first) {
    if (this != AUTO) {
      return this;
    }
    boolean array = first.known() ? first.array() : network.input().extents().size() != 3;
    return array ? ARRAYS : IMAGES;
  }
}
