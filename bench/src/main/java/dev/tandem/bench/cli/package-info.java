/** The command line of the benchmarks: one class per benchmark, which prints its tables. */
package dev.tandem.bench.cli;
