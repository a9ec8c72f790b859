package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.data.read.mode.ReadRequest;
import java.util.List;

/**
 * One reader of several: joins the others, reads its share by the arguments of {@link
 * ReadRequest#arguments}, and prints a report for the process that started it. Alone it is a reader
 * of one.
 */
public final class ReaderMain {

  private ReaderMain() {}

  public static void main(String[] arguments) {
    ReadRequest request = ReadRequest.of(List.of(arguments));
    try (Communicator communicator = Communicator.join()) {
      ReaderReport report = ReadJob.run(request, communicator);
      System.out.println(report.line());
    }
  }
}
