package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Seed;
import dev.tandem.train.config.ConfigFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process that trains as a rank of the job in its environment, on drawn digits. */
final class LimitedRank {

  private static final int IMAGES = 512;

  private LimitedRank() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    String text = Files.readString(folder.resolve("config.yaml"));
    ThreadRanks ranks =
        new ThreadRanks(
                GlyphRecords.draw(new Seed(1), IMAGES), GlyphRecords.draw(new Seed(2), 8), folder)
            .keepingNothing();
    TrainingEvent.Result result =
        ranks.rank(
            ConfigFile.parse("test", text).with(List.of()).config(),
            Communicator.join(),
            folder,
            false);
    System.out.println("trained to a loss of " + result.testLoss());
  }
}
