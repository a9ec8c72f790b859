package dev.tandem.bench;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One line of a benchmark's results.
 *
 * @param benchmark "write" or "index"; "case" in JSON
 * @param contender the program that was measured
 * @param measure what the seconds are
 * @param rounds over which the median is taken
 * @param records of the database
 * @param seconds of a round, median
 * @param perSecond records (write) or pages (index) a second, by the median
 * @param ratio to the peer of the same round, median: above 1 is faster than the peer; 0 for the
 *     peer itself and where there is none
 * @param bytes of the index file; 0 elsewhere
 * @param machine where it was measured
 */
public record BenchRow(
    @JsonProperty("case") String benchmark,
    String contender,
    String measure,
    int rounds,
    long records,
    double seconds,
    double leastSeconds,
    double mostSeconds,
    double perSecond,
    double ratio,
    double leastRatio,
    double mostRatio,
    long bytes,
    String machine) {}
