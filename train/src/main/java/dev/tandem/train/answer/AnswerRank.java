package dev.tandem.train.answer;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.launch.ChildMain;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.TandemException;
import dev.tandem.train.SavedRun;
import java.nio.file.Path;

/**
 * One of several ranks over which a run's network is split to answer a request. Rank 0 prints the
 * answers for the process that started it.
 */
public final class AnswerRank {

  private AnswerRank() {}

  /** Answers the request that is the only argument. */
  public static void main(String[] arguments) {
    AnswerRequest request = AnswerRequest.of(arguments[0]);
    try (Communicator communicator = Communicator.join()) {
      try (SavedRun run =
          SavedRun.open(
              Path.of(request.run()),
              Answering.which(request),
              request.threads(),
              request.strategy(),
              request.device(),
              communicator)) {
        boolean speaks = communicator.rank() == 0;
        Answering.with(
            run,
            request,
            answer -> {
              if (speaks) {
                System.out.println(answer.line());
              }
            });
      } catch (PeerLostException e) {
        throw e;
      } catch (TandemException e) {
        if (communicator.size() == 1) {
          throw e;
        }
        ChildMain.endAtOnce(e); // the others wait for this rank
      }
    }
  }
}
