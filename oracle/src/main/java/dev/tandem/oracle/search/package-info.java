/**
 * Which ways to split the training of a network over some devices there are, how each goes, and
 * which are best. What is given is not changed; classes say where several threads may use them.
 */
package dev.tandem.oracle.search;
