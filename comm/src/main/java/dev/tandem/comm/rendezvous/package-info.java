/**
 * How the ranks of a job find and trust each other.
 *
 * <p>The launcher hosts a meeting point ({@link dev.tandem.comm.rendezvous.RendezvousHost}); every
 * rank joins it ({@link dev.tandem.comm.rendezvous.Membership}) with the facts it finds in its
 * environment ({@link dev.tandem.comm.rendezvous.JobEnvironment}) and gets back the addresses and
 * hosts of all. Instead of an environment there may be a file ({@link
 * dev.tandem.comm.rendezvous.JobFile}), and instead of the launcher rank 0. Every connection, here
 * and between ranks, begins with {@link dev.tandem.comm.rendezvous.Handshake}: fresh nonces and
 * HMAC-SHA256 under the job's secret in both directions. A process that fails it is refused with a
 * reason, in bounded time and memory, and the job goes on. If the processes of a job have a
 * keystore ({@link dev.tandem.comm.rendezvous.TlsKeys}), all of this happens inside TLS.
 *
 * <p>{@code Note [generations]}: a communicator belongs to a fixed set of processes, and when one
 * of them is lost it is of no more use. So that the other processes need not end, the launcher may
 * lead a job through generations: each has a set of processes, ranks, a meeting point, a secret and
 * a communicator of its own, and everything above holds within it unchanged. A process keeps a line
 * to the launcher ({@link dev.tandem.comm.rendezvous.GenerationLine}) over which it says that it is
 * ready, that is, in no generation, and gets its rank in the next. The launcher ({@link
 * dev.tandem.comm.rendezvous.GenerationHost}), which alone knows which processes live, forms a
 * generation when all that were in the last one and live are ready, in the order of their numbers;
 * newcomers that are ready belong to it. So nobody has to agree with anybody on who lives: a
 * process that dies while a generation forms makes joining fail, all come back, and the next one is
 * without it. When a newcomer is ready, the launcher asks the members to come back; they do so
 * where it suits them, between two steps of a training.
 */
package dev.tandem.comm.rendezvous;
