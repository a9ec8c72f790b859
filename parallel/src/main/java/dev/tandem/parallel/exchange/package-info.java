/** What travels between the parts of a split network, and over which groups of ranks. */
package dev.tandem.parallel.exchange;
