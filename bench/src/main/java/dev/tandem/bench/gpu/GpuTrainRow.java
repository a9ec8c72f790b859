package dev.tandem.bench.gpu;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What a case has come to: medians of the rounds, in images/s; 0 where nothing was measured.
 *
 * @param what is compared: eager, exchange, checkpoint
 * @param graph ours with recorded steps, as {@code graph: auto} trains
 * @param eager ours, every operation launched by the processor
 * @param torch the peer's, eager
 * @param compiled the peer's, by torch.compile
 * @param ratio of graph to torch in the same round; of exchange: time of a step with the exchange
 *     of two ranks over time without; of checkpoint: with a copy of the state after every tenth
 *     step over time without
 * @param leastRatio over the rounds
 * @param mostRatio over the rounds
 * @param machine where it was measured
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record GpuTrainRow(
    @JsonProperty("case") String what,
    String network,
    String precision,
    int batch,
    double graph,
    double eager,
    double torch,
    double compiled,
    double ratio,
    double leastRatio,
    double mostRatio,
    int rounds,
    String machine) {}
