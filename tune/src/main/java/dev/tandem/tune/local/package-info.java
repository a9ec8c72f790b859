/**
 * Tasks as processes and threads of this machine.
 *
 * <p>A program runs pinned to the processors it was given, in a session of its own under a shell
 * that ends the whole session when this process is gone; it cannot be orphaned. Its output goes to
 * files of its attempt, and the lines in it that carry metrics to the listener. Threads: one for
 * each attempt that runs, and two that read its output.
 */
package dev.tandem.tune.local;
