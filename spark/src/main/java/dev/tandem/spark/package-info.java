/**
 * The task engine on Apache Spark: each task is a job of one Spark task, which runs the engine of
 * one machine inside an executor; a gang is a barrier job of its ranks.
 *
 * <p>Spark finds a place and notices lost executors. All else is the driver's ({@link
 * dev.tandem.spark.SparkEngine}): what is tried again, and where; so a job is never tried again by
 * Spark itself, and trials and gangs go the same way. Spark's own messages use Java serialization,
 * hence connections are always authenticated and encrypted; what we put into them is JSON.
 *
 * <p>This module has a class path of its own and is built with the profile {@code spark}.
 */
package dev.tandem.spark;
