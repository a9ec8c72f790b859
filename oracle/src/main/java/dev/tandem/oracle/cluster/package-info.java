/**
 * What a cluster is to the oracle: devices, how they are connected level by level, and the files
 * that say so. Everything here is immutable; any thread may use it.
 */
package dev.tandem.oracle.cluster;
