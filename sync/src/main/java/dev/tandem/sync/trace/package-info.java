/**
 * What a person sees of a synchroniser: the timeline of all ranks, which rank stalls, and which
 * holds the others up and why. All of it watches; nothing here changes what is transferred.
 */
package dev.tandem.sync.trace;
