/**
 * Training: the one place that sees the whole way of data, from record to checkpoint.
 *
 * <p>A run is described by a {@link dev.tandem.train.TrainingConfig}, resolved and checked once and
 * kept as {@code config.yaml} in the run's folder. Every rank is a process that runs {@link
 * dev.tandem.train.RankMain}: it joins the others, then {@link dev.tandem.train.Trainer} is the
 * loop. Rank 0 speaks for all: its {@link dev.tandem.train.TrainingEvent}s go to {@code
 * metrics.jsonl} and, as lines on standard output, to the process that started the ranks.
 */
package dev.tandem.train;
