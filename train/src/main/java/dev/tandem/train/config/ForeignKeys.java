package dev.tandem.train.config;

import java.util.HashMap;
import java.util.Map;

/** What other programs, or earlier versions, call the keys of a configuration, and where. */
final class ForeignKeys {

  /** A key, and the words with which people who come from other programs look for it. */
  private static final String WORDS =
      """
      epochs: epoch num-epochs n-epochs max-epochs number-of-epochs train-epochs
      steps: max-steps num-steps iterations max-iter max-iterations most-steps
      seed: random-seed manual-seed
      precision: dtype amp fp16 bf16 mixed-precision
      device: gpu gpus cuda
      network: net architecture arch
      network.model: model
      network.classes: classes num-classes data.classes data.num-classes
      data: dataset datasets
      data.train: train train-data training-data data.training data.train-data
      data.test: test val test-data validation-data data.val data.valid data.validation data.test-data
      data.path: data.folder data.dir data.root
      data.normalise: normalize normalise normalization data.normalize data.normalization data.normalisation
      data.augment: augment augmentation augmentations transform transforms data.augmentation data.augmentations data.transform data.transforms
      data.shuffle: shuffle
      data.threads: workers num-workers data.workers data.num-workers
      batch: batches
      batch.global: batch-size batchsize batch.size batch.batch-size global-batch data.batch data.batch-size schedule.batch-size optimizer.batch-size
      batch.accumulation: accumulation accumulate gradient-accumulation gradient-accumulation-steps grad-accum
      optimizer: optimiser optim solver
      optimizer.kind: optimizer.name optimizer.type optimizer.optimizer
      optimizer.momentum: momentum schedule.momentum batch.momentum
      optimizer.nesterov: nesterov schedule.nesterov
      optimizer.weight-decay: weight-decay wd l2 decay optimizer.wd optimizer.l2 optimizer.decay schedule.weight-decay
      optimizer.mean-decay: optimizer.beta1 optimizer.beta-1 optimizer.betas beta1 betas
      optimizer.square-decay: optimizer.beta2 optimizer.beta-2 beta2 optimizer.alpha optimizer.rho
      optimizer.epsilon: optimizer.eps
      schedule: scheduler lr-scheduler lr-schedule learning-rate-schedule
      schedule.kind: schedule.name schedule.type
      schedule.rate: learning-rate lr rate base-lr max-lr schedule.lr schedule.learning-rate schedule.base-lr schedule.max-lr optimizer.rate optimizer.lr optimizer.learning-rate optimizer.base-lr
      schedule.warmup-epochs: warmup warm-up schedule.warmup schedule.warm-up optimizer.warmup
      schedule.factor: gamma schedule.gamma
      schedule.fall-epochs: milestones schedule.milestones
      guard.clip: clip grad-clip gradient-clip clip-norm max-grad-norm gradient-clip-val clip-gradients
      validation.patience: patience early-stopping
      validation.every-epochs: eval-every validate-every
      checkpoint: checkpoints checkpointing save
      checkpoint.every-steps: save-every save-steps checkpoint-every checkpoint.interval checkpoint.frequency
      gradients.compression: compression
      synchronisation: sync synchronization
      synchronisation.policy: policy
      strategy: parallelism parallel strategies distributed
      strategy.shard: zero zero-stage fsdp sharding strategy.zero strategy.sharding
      strategy.pipeline.micro-batches: micro-batches microbatches num-microbatches strategy.micro-batches
      engine.libtorch: libtorch
      """;

  /** The key that is meant by each of them. */
  static final Map<String, String> MEANT = meant();

  private ForeignKeys() {}

  private static Map<String, String> meant() {
    Map<String, String> meant = new HashMap<>();
    WORDS
        .lines()
        .map(line -> line.split(": ", 2))
        .forEach(
            line -> {
              for (String word : line[1].split(" ", -1)) {
                meant.put(word, line[0]);
              }
            });
    return Map.copyOf(meant);
  }
}
