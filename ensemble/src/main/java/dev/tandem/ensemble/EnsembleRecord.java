package dev.tandem.ensemble;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code ensemble.json}: an ensemble and its members, in the order of the configuration. Immutable;
 * the file is replaced whole.
 *
 * @param version of this file
 * @param pipeline the word of the configuration
 * @param state as of a run: running, done, stopped, failed
 */
public record EnsembleRecord(int version, String pipeline, String state, List<Member> members) {

  /** The name of the file in the ensemble's folder. */
  public static final String FILE = "ensemble.json";

  private static final int VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * One member.
   *
   * @param name as in the configuration
   * @param run the name of its run, a folder beside the ensemble's
   * @param state queued, running, done, stopped or failed
   * @param accuracy of its last validation; null before, and where targets are values
   * @param testLoss of its last validation; null before
   */
  public record Member(String name, String run, String state, Double accuracy, Double testLoss) {

    /** The folder of its run. */
    public Path folder(Path ensemble) {
      return ensemble.toAbsolutePath().normalize().resolveSibling(run);
    }

    /** Whether it has learned all that it was to learn. */
    public boolean done() {
      return state.equals("done");
    }
  }

  public EnsembleRecord {
    members = List.copyOf(members);
  }

  /** A record of this version. */
  public static EnsembleRecord of(String pipeline, String state, List<Member> members) {
    return new EnsembleRecord(VERSION, pipeline, state, members);
  }

  /** Whether a folder is that of an ensemble. */
  public static boolean in(Path folder) {
    return Files.isRegularFile(folder.resolve(FILE));
  }

  /** Reads the record in a folder. */
  public static EnsembleRecord read(Path folder) {
    Path file = folder.resolve(FILE);
    try {
      EnsembleRecord record = JSON.readValue(Files.readString(file), EnsembleRecord.class);
      if (record.version() != VERSION) {
        throw new UsageException(
            "%s is of version %d, expected %d".formatted(file, record.version(), VERSION));
      }
      return record;
    } catch (NoSuchFileException e) {
      throw new UsageException("no ensemble in " + folder);
    } catch (JsonProcessingException e) {
      throw new UsageException(
          "%s is no record of an ensemble: %s".formatted(file, e.getOriginalMessage()));
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /** Puts it into a folder. */
  public void write(Path folder) {
    try {
      byte[] text = (JSON.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8);
      DurableFiles.system().replace(folder.resolve(FILE), ByteBuffer.wrap(text));
    } catch (JsonProcessingException e) {
      throw new WorkFailedException("cannot write " + FILE, e);
    }
  }
}
