package dev.tandem.comm.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.comm.launch.RankOutput.Source;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.core.WorkFailedException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One rank as a child process, with the threads that pass on what it prints. */
final class RankProcess {

  private final int rank;
  private final Process process;
  private final List<Thread> readers = new ArrayList<>();

  private RankProcess(int rank, Process process) {
    this.rank = rank;
    this.process = process;
  }

  static RankProcess start(LaunchPlan plan, JobEnvironment job, RankOutput output) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(plan.jvmFlags());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(ChildMain.class.getName());
    command.add(plan.mainClass());
    command.addAll(plan.arguments());
    ProcessBuilder builder = new ProcessBuilder(command).directory(new File("").getAbsoluteFile());
    builder.environment().putAll(plan.environment());
    builder.environment().putAll(job.variables());
    try {
      RankProcess child = new RankProcess(job.rank(), builder.start());
      child.forward(Source.OUT, child.process.getInputStream(), output);
      child.forward(Source.ERROR, child.process.getErrorStream(), output);
      return child;
    } catch (IOException e) {
      throw new WorkFailedException(
          "cannot start rank %d: %s".formatted(job.rank(), e.getMessage()), e);
    }
  }

  private void forward(Source source, InputStream stream, RankOutput output) {
    readers.add(
        Thread.ofVirtual()
            .name("tandem-output-" + rank)
            .start(
                () -> {
                  try (BufferedReader reader =
                      new BufferedReader(new InputStreamReader(stream, UTF_8))) {
                    String line = reader.readLine();
                    while (line != null) {
                      if (!JvmFlags.announcesVectors(line)) {
                        output.line(rank, source, line);
                      }
                      line = reader.readLine();
                    }
                  } catch (IOException e) {
                    // The process was ended in the middle of a line.
                  }
                }));
  }

  /** Waits for the end of the process. */
  RankExit await() {
    return new RankExit(rank, process.onExit().join().exitValue());
  }

  Process process() {
    return process;
  }

  /** Waits until all it printed was passed on; grandchildren may hold the pipe, so not forever. */
  void drain() throws InterruptedException {
    for (Thread reader : readers) {
      reader.join(1000);
    }
  }
}
