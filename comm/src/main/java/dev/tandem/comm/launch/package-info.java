/**
 * Starts the ranks of a job as processes of this machine or, through a remote shell, of others,
 * passes on what they print, and makes sure that they end together.
 *
 * <p>{@code Note [no orphans]}: whatever happens to whom, nothing is left. A rank that dies: the
 * others notice it themselves and end; who does not is ended by the launcher, SIGTERM first. The
 * launcher is stopped in order: its shutdown hook ends all ranks. The launcher is killed: every
 * rank holds the reading end of a pipe (its standard input) whose writing end only the launcher
 * has; the kernel closes it, and {@link dev.tandem.comm.launch.ParentWatch} ends the rank. A remote
 * shell passes its input on, so ranks of other hosts end in the same way, and a byte of it stands
 * for SIGTERM; one that stands still is killed by a second remote shell.
 *
 * <p>{@link dev.tandem.comm.launch.ProcessLauncher} ends a job with the first rank that is lost;
 * {@link dev.tandem.comm.launch.SurvivingLauncher} lets the others stay and leads them on with a
 * replacement, for programs that know how to ({@code Note [generations]} in {@code rendezvous}).
 */
package dev.tandem.comm.launch;
