package dev.tandem.cli;

import dev.tandem.data.read.ReaderReport;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What {@code tandem data read --json} gets; times are means over the readers, counts are sums. */
record ReadResults(
    String mode,
    String choice,
    String index,
    int readers,
    long records,
    double seconds,
    double recordsPerSecond,
    double megabytesPerSecond,
    double seekSeconds,
    double readSeconds,
    double copySeconds,
    double skewSeconds,
    double consumeSeconds,
    double sleepShare,
    long bytesNeeded,
    long bytesRead,
    long redundantPages,
    long missedPages,
    long missedAfterSecond,
    List<Long> redundantByIteration,
    List<Long> missedByIteration,
    long minorFaults,
    long majorFaults,
    long contextSwitches,
    long voluntarySwitches,
    long involuntarySwitches,
    String checksum,
    List<ReaderReport> perReader) {

  /** Of the reports of all readers. */
  static ReadResults of(List<ReaderReport> reports) {
    ReaderReport first = reports.getFirst();
    double seconds = reports.stream().mapToDouble(ReaderReport::seconds).max().orElse(0);
    long records = reports.stream().mapToLong(ReaderReport::records).sum();
    long bytes = reports.stream().mapToLong(ReaderReport::bytesNeeded).sum();
    long voluntary = reports.stream().mapToLong(ReaderReport::voluntarySwitches).sum();
    long involuntary = reports.stream().mapToLong(ReaderReport::involuntarySwitches).sum();
    return new ReadResults(
        first.mode(),
        first.choice(),
        first.index(),
        reports.size(),
        records,
        seconds,
        records / seconds,
        bytes / 1e6 / seconds,
        reports.stream().mapToDouble(ReaderReport::seekSeconds).average().orElse(0),
        reports.stream().mapToDouble(ReaderReport::readSeconds).average().orElse(0),
        reports.stream().mapToDouble(ReaderReport::copySeconds).average().orElse(0),
        reports.stream().mapToDouble(ReaderReport::skewSeconds).average().orElse(0),
        reports.stream().mapToDouble(ReaderReport::consumeSeconds).average().orElse(0),
        reports.stream().mapToDouble(ReaderReport::sleepShare).average().orElse(0),
        bytes,
        reports.stream().mapToLong(ReaderReport::bytesRead).sum(),
        reports.stream().mapToLong(ReaderReport::redundantPages).sum(),
        reports.stream().mapToLong(ReaderReport::missedPages).sum(),
        reports.stream().mapToLong(ReaderReport::missedAfterSecond).sum(),
        sums(reports, ReaderReport::redundantByIteration),
        sums(reports, ReaderReport::missedByIteration),
        reports.stream().mapToLong(ReaderReport::minorFaults).sum(),
        reports.stream().mapToLong(ReaderReport::majorFaults).sum(),
        voluntary + involuntary,
        voluntary,
        involuntary,
        String.format("%016x", reports.stream().mapToLong(ReaderReport::checksum).sum()),
        reports);
  }

  /** Sums over the readers, iteration by iteration. */
  private static List<Long> sums(
      List<ReaderReport> reports, Function<ReaderReport, List<Long>> counts) {
    int iterations =
        reports.stream().mapToInt(report -> counts.apply(report).size()).max().orElse(0);
    return IntStream.range(0, iterations)
        .mapToObj(
            i ->
                reports.stream()
                    .map(counts)
                    .filter(list -> i < list.size())
                    .mapToLong(list -> list.get(i))
                    .sum())
        .toList();
  }
}
