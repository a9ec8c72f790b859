package dev.tandem.parallel.stage;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.SampleShare;
import java.util.List;

/**
 * A whole local tensor on its way between two ranks.
 *
 * @param shape of a sample
 * @param peer the other rank's number in the group of two
 */
record CrossingTensor(Shape shape, SampleShare samples, int peer) {

  /** As the rank sees it that has the tensor. */
  Movement out() {
    return movement(parcels(), List.of());
  }

  /** As the rank sees it that gets the tensor. */
  Movement in() {
    return movement(List.of(), parcels());
  }

  private List<Movement.Parcel> parcels() {
    List<Movement.Range> all =
        shape.extents().stream().map(extent -> new Movement.Range(0, extent)).toList();
    return List.of(new Movement.Parcel(peer, List.of(new Movement.Box(samples, all))));
  }

  private Movement movement(List<Movement.Parcel> outgoing, List<Movement.Parcel> incoming) {
    return new Movement(
        Movement.Operation.COPY,
        Movement.Collective.EXCHANGE,
        1,
        0,
        samples,
        samples,
        outgoing,
        incoming);
  }
}
