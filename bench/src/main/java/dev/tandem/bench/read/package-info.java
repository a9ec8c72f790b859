/**
 * The reading benchmark: Tandem's read modes against liblmdb, py-lmdb and lmdbjava, and against the
 * storage itself. Every contender is a fresh process that reads the same records and computes the
 * same checksum; a wrong one fails the benchmark. What is changed on the machine (read-ahead,
 * control groups) is set back when the benchmark ends, also by Ctrl-C. For one thread; no two
 * benchmarks at a time on a machine.
 */
package dev.tandem.bench.read;
