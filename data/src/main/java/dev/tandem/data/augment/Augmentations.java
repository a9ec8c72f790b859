package dev.tandem.data.augment;

import dev.tandem.data.image.Image;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** Several augmentations one after the other, drawing from the same stream in that order. */
public record Augmentations(List<Augmentation> steps) implements Augmentation {

  /** Images stay as they are. */
  public static final Augmentations NONE = new Augmentations(List.of());

  public Augmentations {
    steps = List.copyOf(steps);
  }

  public static Augmentations of(Augmentation... steps) {
    return new Augmentations(List.of(steps));
  }

  @Override
  public Image apply(Image image, SplittableRandom random) {
    Image changed = image;
    for (Augmentation step : steps) {
      changed = step.apply(changed, random);
    }
    return changed;
  }

  /** As {@link AugmentationText} reads it, if the steps are of this package. */
  @Override
  public String toString() {
    return steps.stream().map(Object::toString).collect(Collectors.joining(","));
  }
}
