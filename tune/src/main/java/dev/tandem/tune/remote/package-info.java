/**
 * A task engine in a process of its own, with a class path of its own: the study stays here, and
 * tasks, answers and outcomes go over the pipes of that process as lines of JSON.
 *
 * <p>{@link dev.tandem.tune.remote.ChildEngine} is this side, {@link
 * dev.tandem.tune.remote.EngineServer} the other. When the parent ends, however it ends, the input
 * of the child ends, and with it all that runs there.
 */
package dev.tandem.tune.remote;
