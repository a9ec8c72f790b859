/**
 * Core partitioning (SCP): which cores the background, the engine and the input threads of a rank
 * may use. Threads are placed by their names, from outside, step by step.
 */
package dev.tandem.sync.cores;
