package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.FaultLimits;
import dev.tandem.comm.TransportKind;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.comm.rendezvous.RendezvousHost;
import dev.tandem.core.WorkFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Reads as several processes do, joined and through shared memory, but with threads of this JVM in
 * their place: what a reader loads and runs can then be recorded in one process, for the archive
 * with which readers start.
 */
public final class ReadRehearsal {

  private ReadRehearsal() {}

  /** Reads the whole request and returns the reports of all readers, by their numbers. */
  public static List<ReaderReport> run(ReadRequest request, int readers) {
    try (RendezvousHost host =
        RendezvousHost.open(
            readers, JobSecret.random(), FaultLimits.DEFAULT.joining(), line -> {})) {
      List<FutureTask<ReaderReport>> tasks = new ArrayList<>();
      for (int rank = 0; rank < readers; rank++) {
        JobEnvironment seat = host.environment(rank);
        FutureTask<ReaderReport> task = new FutureTask<>(() -> read(request, seat));
        Thread.ofPlatform().name("tandem-rehearsal-" + rank).daemon().start(task);
        tasks.add(task);
      }
      List<ReaderReport> reports = new ArrayList<>();
      for (FutureTask<ReaderReport> task : tasks) {
        reports.add(task.get());
      }
      return reports;
    } catch (ExecutionException e) {
      throw PrivateRing.rethrown(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while readers ran", e);
    }
  }

  /** What {@link ReaderMain} does, with words and variables as it gets them. */
  private static ReaderReport read(ReadRequest request, JobEnvironment seat) {
    ReadRequest heard = ReadRequest.of(request.arguments());
    JobEnvironment job = JobEnvironment.of(seat.variables()).orElseThrow();
    try (Communicator communicator =
        Communicator.join(job, FaultLimits.DEFAULT, TransportKind.AUTOMATIC)) {
      ReaderReport report = ReadJob.run(heard, communicator);
      return ReaderReport.ofLine(report.line()).orElseThrow();
    }
  }
}
