/**
 * Training: the one place that sees the whole way of data, from record to checkpoint.
 *
 * <p>A run is described by a {@link dev.tandem.train.config.TrainingConfig}, resolved and checked
 * once and kept as {@code config.yaml} in the run's folder. {@link dev.tandem.train.Training} is
 * the door for programs, with own networks, data, losses and {@link
 * dev.tandem.train.TrainingListener}s; {@code tandem train} starts processes that go through it,
 * too, by {@link dev.tandem.train.RankMain}. Every rank joins the others and wires a {@link
 * dev.tandem.train.Trainer}, whose loop is {@code TrainingLoop}. What a rank computes of a step and
 * holds of the network is a {@link dev.tandem.train.DistributedStep}: {@code DataParallelStep} at
 * levels {@code fast} and {@code run}, {@code ElasticStep} at level {@code elastic}, {@code
 * ServerStep} with parameter servers; {@code StepFactory} chooses. Rank 0 reports for all: its
 * {@link dev.tandem.train.TrainingEvent}s go to {@code metrics.jsonl}, to TensorBoard and, as lines
 * on standard output, to the process that started the ranks.
 *
 * <p>If lost processes may be replaced, a rank is a {@code Survivor}: it trains in one generation
 * of the job after the other ({@code Note [generations]} in {@code comm.rendezvous}). Each begins
 * with the newest checkpoint and ends with the run, with a lost rank, or after a step because a
 * replacement waits to join.
 *
 * <p>Threads: a trainer belongs to the thread that runs it. Memory: what it is given stays its
 * owner's; what it allocates goes with its run.
 */
package dev.tandem.train;
