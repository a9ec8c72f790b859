/**
 * How the ranks of a job find and trust each other.
 *
 * <p>The launcher hosts a meeting point ({@link dev.tandem.comm.rendezvous.RendezvousHost}); every
 * rank joins it ({@link dev.tandem.comm.rendezvous.Membership}) with the facts it finds in its
 * environment ({@link dev.tandem.comm.rendezvous.JobEnvironment}) and gets back the addresses and
 * hosts of all. Instead of an environment there may be a file ({@link
 * dev.tandem.comm.rendezvous.JobFile}), and instead of the launcher rank 0. Every connection, here
 * and between ranks, begins with {@link dev.tandem.comm.rendezvous.Handshake}: fresh nonces and
 * HMAC-SHA256 under the job's secret in both directions. Whoever fails it is refused with a reason,
 * in bounded time and memory, and the job goes on. If the processes of a job have a keystore
 * ({@link dev.tandem.comm.rendezvous.TlsKeys}), all of this happens inside TLS.
 */
package dev.tandem.comm.rendezvous;
