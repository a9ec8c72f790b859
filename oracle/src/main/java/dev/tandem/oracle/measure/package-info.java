/**
 * Makes a {@link dev.tandem.oracle.profile.Profile} of this machine: processes that are all busy at
 * once, as the ranks of a run are, take turns through real layers of networks and of their parts,
 * through updates and collectives. Nothing is trained.
 */
package dev.tandem.oracle.measure;
