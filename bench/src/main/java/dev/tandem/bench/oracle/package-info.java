/**
 * {@code tandem bench oracle}: projections made from a profile alone beside what real training
 * takes on this machine, and beside published measurements.
 */
package dev.tandem.bench.oracle;
