package dev.tandem.train;

import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import dev.tandem.nn.Loss;
import dev.tandem.nn.NetworkOptions;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What a program gives to a run besides its configuration.
 *
 * @param data instead of what the configuration names
 * @param loss instead of the network's
 * @param record gets the events, to say how the run stands
 * @param launched whether events go to standard output, for the process that started the ranks
 */
record ProgramParts(
    Optional<Data> data,
    Optional<Loss> loss,
    Listeners listeners,
    Consumer<TrainingEvent> record,
    boolean launched) {

  /** Both parts of a data set; they stay the program's. */
  record Data(RecordSource training, RecordSource test) {}

  /** Where the events of the run are kept. */
  RunLog log(Path run) {
    RunLog log = new RunLog(run, Clock.systemUTC());
    return launched ? log : log.silent();
  }

  /** Where events go. */
  Consumer<TrainingEvent> events(RunLog log) {
    return event -> {
      log.write(event);
      record.accept(event);
      listeners.take(event);
    };
  }

  /** What is trained on; the program's own stays open. */
  RecordSource training(Supplier<RecordSource> configured) {
    return data.isPresent() ? new Borrowed(data.get().training()) : configured.get();
  }

  /** What is evaluated on, likewise. */
  RecordSource test(Supplier<RecordSource> configured) {
    return data.isPresent() ? new Borrowed(data.get().test()) : configured.get();
  }

  /** How the network computes. */
  NetworkOptions options(TrainingConfig config) {
    NetworkOptions options = config.networkOptions();
    return loss.isPresent() ? options.withLoss(loss.get()) : options;
  }

  /** A source that is not closed with what uses it. */
  record Borrowed(RecordSource source) implements RecordSource {

    @Override
    public long size() {
      return source.size();
    }

    @Override
    public DataRecord record(long ordinal) {
      return source.record(ordinal);
    }

    @Override
    public long fetchBytes() {
      return source.fetchBytes();
    }

    @Override
    public RecordBlock fetch(long[] ordinals) {
      return source.fetch(ordinals);
    }

    @Override
    public void close() {
      // The program closes what it opened.
    }
  }
}
