/**
 * A Gaussian process of the values that were seen, and the point where it expects the largest
 * improvement. Everything is computed anew for each suggestion: a pure function. One thread at a
 * time.
 */
package dev.tandem.tune.sample.gp;
