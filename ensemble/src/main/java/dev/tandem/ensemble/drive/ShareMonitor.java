package dev.tandem.ensemble.drive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.share.ShareStatus;
import dev.tandem.data.share.ShareWatch;
import dev.tandem.posix.FileErrors;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Samples how a share stands into {@code queues.jsonl}: the length of each member's queue, the
 * rates of consumers and preprocessors, their processor time. Under the adaptive pipeline it also
 * says how many threads prepare samples. One thread.
 */
final class ShareMonitor implements AutoCloseable {

  /** The name of the file in the ensemble's folder. */
  static final String FILE = "queues.jsonl";

  private static final long EVERY_NANOS = 500_000_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Optional<Path> place;
  private final Path file;
  private final Optional<AdaptivePipeline> adaptive;
  private final long began = System.nanoTime();
  private final double secondsBefore;
  private Optional<ShareWatch> watch = Optional.empty();
  private Optional<ShareStatus> last = Optional.empty();
  private long looked;

  ShareMonitor(Optional<Path> place, Path folder, boolean adaptive, Consumer<String> notes) {
    this.place = place;
    this.file = folder.resolve(FILE);
    this.secondsBefore = secondsIn(file);
    this.adaptive = adaptive ? Optional.of(new AdaptivePipeline(notes)) : Optional.empty();
  }

  /** How long the ensemble was trained before, if it is continued. */
  private static double secondsIn(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      String last = lines.reduce("{}", (_, line) -> line);
      return JSON.readTree(last).path("seconds").asDouble();
    } catch (IOException | UncheckedIOException e) {
      return 0; // not there yet, or cut off by a crash
    }
  }

  /** Looks, if it is time to. */
  void look() {
    long now = System.nanoTime();
    if (place.isEmpty() || now - looked < EVERY_NANOS) {
      return;
    }
    looked = now;
    if (watch.isEmpty()) {
      watch = ShareWatch.open(place.get());
    }
    if (watch.isPresent()) {
      ShareStatus status = watch.get().status();
      last = Optional.of(status);
      Optional<AdaptivePipeline.Choice> choice = adaptive.map(chooser -> chooser.choose(status));
      choice.ifPresent(chosen -> watch.get().limitThreads(chosen.preprocessors()));
      write(status, choice);
    }
  }

  private void write(ShareStatus status, Optional<AdaptivePipeline.Choice> choice) {
    ObjectNode line = JSON.valueToTree(status);
    line.put("seconds", secondsBefore + (System.nanoTime() - began) / 1e9);
    choice.ifPresent(
        chosen -> {
          line.put("pipeline", chosen.pipeline().word());
          line.put("preprocessors", chosen.preprocessors());
        });
    try (BufferedWriter to =
        Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      to.write(JSON.writeValueAsString(line));
      to.newLine();
    } catch (JsonProcessingException e) {
      throw new WorkFailedException("cannot write " + FILE, e);
    } catch (IOException e) {
      throw FileErrors.failure("write", file, e);
    }
  }

  /** How the share stands, or stood last. */
  Optional<ShareStatus> status() {
    return watch.map(ShareWatch::status).or(() -> last);
  }

  @Override
  public void close() {
    watch.ifPresent(ShareWatch::close);
  }
}
