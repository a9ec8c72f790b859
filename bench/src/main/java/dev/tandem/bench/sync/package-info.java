/**
 * The benchmark of gradient synchronisation: the same training under every policy.
 *
 * <p>Note [one core a rank]: two ranks, each a process with all its threads on one core, so that
 * the background thread competes with those that compute and those that decode, as on a machine
 * with more threads than cores. Both ranks live through the whole benchmark; a turn trains for some
 * steps under one policy, with an input and a synchroniser that are made for it and closed after
 * it, from the same first parameters. Turns go through the policies forward in one round and
 * backward in the next, so whatever the machine does in the long run happens to all of them. A
 * round's time of a policy is compared with that of the baseline in the same round; intervals are
 * bootstrapped over rounds. The parameters after each turn must be the same under all policies.
 */
package dev.tandem.bench.sync;
