/** {@code tandem bench strategies}: the ways to split a network, against each other. */
package dev.tandem.bench.strategies;
