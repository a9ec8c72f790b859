package dev.tandem.bench.train;

/** Who takes turns. */
enum TrainSide {
  TANDEM,
  TORCH
}
