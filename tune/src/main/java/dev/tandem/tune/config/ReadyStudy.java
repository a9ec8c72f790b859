package dev.tandem.tune.config;

import dev.tandem.tune.StudySettings;
import dev.tandem.tune.TrialPlan;
import dev.tandem.tune.TrialWork;
import dev.tandem.tune.prune.Pruner;
import dev.tandem.tune.sample.Sampler;
import java.nio.file.Path;

/**
 * A study that was understood.
 *
 * @param folder where it is kept
 * @param trace whether {@code timeline.json} is written
 */
public record ReadyStudy(
    Path folder,
    StudySettings settings,
    TrialPlan plan,
    Sampler sampler,
    Pruner pruner,
    TrialWork work,
    boolean trace) {}
