/**
 * The journal of a study: one file to which records are only added, from which a study is made
 * again after any end of its driver.
 *
 * <p>A line is the CRC-32C of its JSON, a space, and the JSON. What {@link
 * dev.tandem.tune.journal.Journal#sync} has returned for survives a power loss; {@code Note
 * [recovery]} in {@link dev.tandem.tune.journal.Recovery} says what becomes of the rest. One driver
 * writes at a time, which {@link dev.tandem.tune.journal.StudyLock} sees to. Journals are used by
 * one thread at a time.
 */
package dev.tandem.tune.journal;
