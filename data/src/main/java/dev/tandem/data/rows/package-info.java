/**
 * Rows of tables: CSV files become records of numbers with a target, as {@link
 * dev.tandem.data.rows.Columns} says, which is kept beside them as {@code columns.json}.
 *
 * <p>Promises: whatever a file holds, the outcome is records or an error that names file, line and
 * column. Threads: one at a time.
 */
package dev.tandem.data.rows;
