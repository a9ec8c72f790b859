/**
 * The benchmark of collectives: Tandem against Open MPI, MPICH and Gloo.
 *
 * <p>Note [live contenders]: the ranks of every contender are started once and live as long as the
 * benchmark. Each waits in a blocking read of a named pipe of its own, which uses no processor,
 * until the benchmark writes a line that says what to measure; then all ranks of that contender do
 * so, and the first prints the result. So a size is measured by all contenders within a second or
 * so of each other, whatever the machine does in the long run; every round comes back to it, in the
 * opposite order; and JVMs compile their code once, not once a round. When the benchmark ends, in
 * whatever way, the pipes end, and with them the ranks.
 */
package dev.tandem.bench.collective;
