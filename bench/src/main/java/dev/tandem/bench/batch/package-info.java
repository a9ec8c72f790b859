/**
 * What the size of a batch costs: epochs and time until a network is as good as asked for, for
 * fixed batches of many sizes and for one that grows.
 */
package dev.tandem.bench.batch;
