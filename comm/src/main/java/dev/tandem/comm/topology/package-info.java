/**
 * Where ranks are: which host each is on ({@link dev.tandem.comm.topology.Topology}), which switch
 * and rack each host belongs to ({@link dev.tandem.comm.topology.ClusterMap}), and how far apart
 * two ranks therefore are ({@link dev.tandem.comm.topology.RankPlaces}, {@link
 * dev.tandem.comm.topology.Level}). Descriptions only; all of them are immutable.
 */
package dev.tandem.comm.topology;
