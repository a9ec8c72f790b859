/**
 * A calibration on published measurements: iteration times of ChainerMNX and PyTorch on up to 1024
 * V100 of ABCI, from the ParaDL study. A few constants of that machine and software are fitted to
 * measured times, never one for a row or a network; how well that projects configurations it has
 * not seen is told by folds that leave out all measurements of a number of devices or of a network.
 * Everything is immutable and deterministic.
 */
package dev.tandem.oracle.published;
