/**
 * Benchmarks of whole jobs against peers. Peers run in the same process tree, in turn with Tandem,
 * several rounds; results are medians with their spread, and ratios of one run.
 */
package dev.tandem.bench;
