/**
 * Searches hyperparameters: a study asks a sampler for parameters, runs trials on a task engine,
 * and writes what happens into a journal from which it can go on.
 *
 * <p>{@code Note [order]}: in fixed order, suggestion {@code t} uses exactly the results of trials
 * {@code 0..t-L} in the order of their numbers, where {@code L} is the study's window; {@code t}
 * starts when those have ended. So the list of trials depends on the seed and the window, not on
 * the number of workers, on timing, or on how often the study was interrupted. In order of arrival
 * everything that has ended counts, in the order of the journal.
 *
 * <p>Threads: one drives the study; engines report from threads of theirs.
 */
package dev.tandem.tune;
