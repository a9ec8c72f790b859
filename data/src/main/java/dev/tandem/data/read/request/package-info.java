/**
 * Requests to the storage: {@link dev.tandem.data.read.request.Windows} sorts and merges the parts
 * of a file that records need, a {@link dev.tandem.data.read.request.ReadRound} is the requests
 * that fill one piece of memory, {@link dev.tandem.data.read.request.RequestThreads} keep as many
 * under way as the queue is deep, by threads or, where requests are short, by the kernel's queue.
 *
 * <p>Memory: no buffer goes while the kernel may write to it.
 */
package dev.tandem.data.read.request;
