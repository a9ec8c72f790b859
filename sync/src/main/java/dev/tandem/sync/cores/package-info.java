/**
 * Core partitioning (SCP): which cores the background, the engine and the input threads of a rank
 * may use. A thread is pinned by itself and passes its cores on to those it starts.
 */
package dev.tandem.sync.cores;
