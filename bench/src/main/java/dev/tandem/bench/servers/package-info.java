/**
 * The benchmark of parameter servers: the same training with allreduce, with servers, and with
 * servers through proxies, while ranks are late now and then.
 *
 * <p>Note [a simulated topology]: all ranks are processes of one machine; a description says that
 * they are on two hosts. So what is moved between "hosts" is counted as it would be there, but
 * takes the time of shared memory: bytes can be compared, and how much less the ranks wait for a
 * late one, not what a network would take.
 *
 * <p>Note [late ranks]: a rank is late by a pause in which it uses no core. Either one rank is late
 * in one of four steps ("one"), or every rank in so few that there are as many pauses in all
 * ("each"). If always the same rank is late, no rank can be faster than it in the long run,
 * whatever the staleness; if it is another one each time, synchronous training waits for all pauses
 * and stale training only for those of the rank that has most of them.
 *
 * <p>All modes take turns, forward and backward, in processes that live through all of them; every
 * turn begins with the same parameters and sees the same samples.
 */
package dev.tandem.bench.servers;
