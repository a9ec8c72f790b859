package dev.tandem.comm.rendezvous;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.testkit.Watchdog;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** What a launcher says to a process of a job with generations, in every order. */
class GenerationLineTest {

  private static final int PROCESS = 1;
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final InetSocketAddress MEETING_POINT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

  private final BlockingQueue<Integer> ready = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

  private interface Talk {
    void between(GenerationHost launcher, GenerationLine process) throws Exception;
  }

  private void talk(Talk talk) throws Exception {
    Watchdog.within(
        Duration.ofSeconds(30),
        () -> {
          try (GenerationHost launcher =
                  GenerationHost.open(
                      2, JobSecret.random(), Optional.empty(), ANY, ready::add, log::add);
              GenerationLine process = GenerationLine.call(launcher.environment(PROCESS))) {
            talk.between(launcher, process);
          }
          return null;
        });
  }

  /** Asks for the next place, and waits until the launcher knows it. */
  private FutureTask<Optional<GenerationLine.RankAssignment>> next(GenerationLine process)
      throws Exception {
    FutureTask<Optional<GenerationLine.RankAssignment>> assignment =
        new FutureTask<>(process::next);
    Thread.ofPlatform().daemon().start(assignment);
    assertEquals(PROCESS, ready.take());
    return assignment;
  }

  private static void awaitWanted(GenerationLine process) {
    while (!process.wanted()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aMemberIsAskedToComeBackAndThenIsNotAsked() throws Exception {
    talk(
        (launcher, process) -> {
          FutureTask<Optional<GenerationLine.RankAssignment>> first = next(process);
          launcher.assign(PROCESS, 1, 0, 2, MEETING_POINT);
          GenerationLine.RankAssignment assignment = first.get().orElseThrow();
          assertEquals(1, assignment.generation());
          assertEquals(0, assignment.job().rank());
          assertEquals(2, assignment.job().size());
          assertEquals(MEETING_POINT, assignment.job().rendezvous());
          assertFalse(process.wanted());
          launcher.want(PROCESS);
          awaitWanted(process);
          FutureTask<Optional<GenerationLine.RankAssignment>> second = next(process);
          launcher.assign(PROCESS, 2, 1, 2, MEETING_POINT);
          assertEquals(2, second.get().orElseThrow().generation());
          assertFalse(process.wanted());
        });
  }

  /**
   * A member that comes back by itself says so while the launcher asks it to. The question is not
   * one to the member of the next generation, who would leave it for no reason.
   */
  @Test
  void aQuestionThatCrossesTheAnswerIsNoQuestionToTheNextGeneration() throws Exception {
    talk(
        (launcher, process) -> {
          FutureTask<Optional<GenerationLine.RankAssignment>> assignment = next(process);
          launcher.want(PROCESS);
          launcher.assign(PROCESS, 2, 0, 1, MEETING_POINT);
          assertEquals(2, assignment.get().orElseThrow().generation());
          assertFalse(process.wanted());
        });
  }

  @Test
  void aNewcomerIsToldThatTheWorkWasDoneWithoutIt() throws Exception {
    talk(
        (launcher, process) -> {
          FutureTask<Optional<GenerationLine.RankAssignment>> assignment = next(process);
          launcher.finish(PROCESS);
          assertTrue(assignment.get().isEmpty());
        });
  }

  @Test
  void whoWaitsIsToldWhyThereIsNoFurtherGeneration() throws Exception {
    talk(
        (launcher, process) -> {
          FutureTask<Optional<GenerationLine.RankAssignment>> assignment = next(process);
          launcher.giveUp("enough");
          ExecutionException e = assertThrows(ExecutionException.class, assignment::get);
          assertEquals(WorkFailedException.class, e.getCause().getClass());
          assertEquals("enough", e.getCause().getMessage());
        });
  }
}
