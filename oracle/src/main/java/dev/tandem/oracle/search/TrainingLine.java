package dev.tandem.oracle.search;

import dev.tandem.oracle.projection.Candidate;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.shard.ShardStage;
import dev.tandem.parallel.stage.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A candidate as {@code tandem train} takes it. */
public final class TrainingLine {

  private TrainingLine() {}

  /** What {@code --strategy} gets: {@code data} if there is one rank. */
  public static String strategy(Candidate candidate) {
    List<String> words = new ArrayList<>();
    for (Mesh.Axis axis : candidate.mesh().axes()) {
      if (axis.size() > 1) {
        words.add(axis.name() + "=" + axis.size());
      }
    }
    return words.isEmpty() ? Mesh.DATA : String.join(",", words);
  }

  /** Keys of the configuration and their values, besides the mesh and the batch. */
  public static List<String> settings(Candidate candidate) {
    List<String> settings = new ArrayList<>();
    candidate.shard().ifPresent(stage -> settings.add("strategy.shard=" + word(stage)));
    if (candidate.mesh().size(Mesh.PIPELINE) > 1) {
      Candidate.Stages stages = candidate.stages().orElseThrow();
      settings.add("strategy.pipeline.schedule=" + word(stages.schedule()));
      settings.add("strategy.pipeline.micro-batches=" + stages.pieces());
      if (stages.recompute()) {
        settings.add("strategy.pipeline.recompute=true");
      }
    } else if (candidate.accumulation() > 1) {
      settings.add("batch.accumulation=" + candidate.accumulation());
    }
    if (candidate.strategy().space().toSamples()) {
      settings.add("strategy.spatial.aggregate-to=samples");
    }
    if (candidate.strategy().eager()) {
      settings.add("strategy.gather=eager");
    }
    if (!candidate.strategy().layers().isEmpty()) {
      settings.add(
          candidate.strategy().layers().entrySet().stream()
              .map(layer -> "'%s': %s".formatted(layer.getKey(), layer.getValue()))
              .collect(Collectors.joining(", ", "strategy.layers={", "}")));
    }
    return settings;
  }

  /** The command. */
  public static String of(String config, Candidate candidate, int batch) {
    StringBuilder line = new StringBuilder("./tandem train ").append(config);
    line.append(" -n ").append(candidate.ranks());
    line.append(" --strategy ").append(strategy(candidate));
    line.append(" --set batch.global=").append(batch);
    settings(candidate)
        .forEach(
            setting ->
                line.append(" --set ")
                    .append(setting.contains("'") ? "\"" + setting + "\"" : setting));
    return line.toString();
  }

  private static String word(ShardStage stage) {
    return switch (stage) {
      case OPTIMIZER -> "optimizer";
      case GRADIENTS -> "gradients";
      case PARAMETERS -> "parameters";
    };
  }

  private static String word(Schedule schedule) {
    return switch (schedule) {
      case Schedule.Gpipe _ -> "gpipe";
      case Schedule.OneForwardOneBackward _ -> Schedule.ONE_FORWARD_ONE_BACKWARD;
      case Schedule.Sequential _ -> "sequential";
    };
  }
}
