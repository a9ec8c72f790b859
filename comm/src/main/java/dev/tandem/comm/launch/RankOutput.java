package dev.tandem.comm.launch;

import java.io.PrintStream;

/** Takes what the ranks print, line by line, from several threads. */
@FunctionalInterface
public interface RankOutput {

  /** Which stream of a process a line comes from. */
  enum Source {
    OUT,
    ERROR
  }

  void line(int rank, Source source, String text);

  /** Prints every line with the number of its rank in front. */
  static RankOutput prefixed(PrintStream out, PrintStream error) {
    return (rank, source, text) -> {
      PrintStream stream =
          switch (source) {
            case OUT -> out;
            case ERROR -> error;
          };
      stream.println("[" + rank + "] " + text);
    };
  }
}
