package dev.tandem.bench.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrainTimesTest {

  private static final TrainNetwork CIFAR = TrainNetwork.CIFAR;

  @Test
  void ratiosAreMediansOfRounds() {
    TrainTimes times = new TrainTimes(false);
    for (double scale : List.of(1.0, 3.0, 2.0)) { // a machine that is now slower, now faster
      times.add(TrainTask.alone(TrainSide.TANDEM, CIFAR, false, 1), 0.064 * scale);
      times.add(TrainTask.alone(TrainSide.TORCH, CIFAR, false, 1), 0.08 * scale);
      times.add(TrainTask.alone(TrainSide.TANDEM, CIFAR, true, 1), 0.032 * scale);
    }
    List<TrainRow> rows = times.rows(CIFAR, List.of(1, 2), "here");
    assertEquals(List.of("serial", "bf16"), rows.stream().map(TrainRow::what).toList());
    TrainRow serial = rows.getFirst();
    assertEquals(500, serial.imagesPerSecond(), 1e-6);
    assertEquals(400, serial.peerImagesPerSecond(), 1e-6);
    assertEquals(1.25, serial.ratio(), 1e-9);
    assertEquals(3, serial.rounds());
    assertEquals(2, rows.get(1).ratio(), 1e-9);
  }

  @Test
  void exposedSynchronisationIsWhatAStepIsLongerBy() {
    TrainTimes times = new TrainTimes(false);
    add(times, TrainSide.TANDEM, 0.050, 0.001, 0.002, 0.003, -0.001, 0.009);
    add(times, TrainSide.TORCH, 0.060, 0.010, 0.008, 0.012, 0.010, 0.030);
    TrainRow row = times.rows(CIFAR, List.of(1, 2), "here").getFirst();
    assertEquals(2, row.exposedMillis(), 1e-9);
    assertEquals(10, row.peerExposedMillis(), 1e-9);
    assertEquals(0.2, row.exposedRatio(), 1e-9);
    assertEquals(5, row.exposedPairs());
    assertEquals(64, row.exposedBatch());
    // Rarely are only the least, or only the most, drawn again.
    assertTrue(row.exposedMillisLow() >= -1 && row.exposedMillisLow() < 2, row.toString());
    assertTrue(row.exposedMillisHigh() <= 9 && row.exposedMillisHigh() > 2, row.toString());
    assertTrue(row.exposedRatioLow() < 0.2 && row.exposedRatioHigh() > 0.2, row.toString());
    assertEquals(2 * 64 / 0.05, row.imagesPerSecond(), 1e-6);
  }

  private static void add(TrainTimes times, TrainSide side, double seconds, double... exposed) {
    times.add(TrainTask.parallel(side, CIFAR), seconds);
    times.addExposed(TrainTask.parallel(side, CIFAR), exposed);
  }

  @Test
  void exposedSynchronisationThatTheOtherSideHasNotIsNoMeasure() {
    TrainTimes times = new TrainTimes(false);
    add(times, TrainSide.TANDEM, 0.050, 0.002);
    add(times, TrainSide.TORCH, 0.060, -0.001);
    TrainRow row = times.rows(CIFAR, List.of(1, 2), "here").getFirst();
    assertEquals(0, row.exposedRatio());
  }

  @Test
  void everythingThatIsComparedIsMeasured() {
    List<TrainTask> tasks = TrainTimes.tasks(CIFAR, EnumSet.allOf(TrainCase.class), List.of(1, 2));
    assertEquals(8, tasks.size());
    assertEquals(4, TrainTimes.tasks(CIFAR, EnumSet.of(TrainCase.BF16), List.of(1, 2)).size());
  }

  @Test
  void requestsAreLines() {
    TrainRequest.Run run = new TrainRequest.Run(CIFAR, true, 2, 3, 4);
    assertEquals(run, TrainRequest.of(run.line()));
    TrainRequest.Expose expose = new TrainRequest.Expose(CIFAR, 8, 1, 30);
    assertEquals(expose, TrainRequest.of(expose.line()));
    TrainRequest.Check check = new TrainRequest.Check(TrainNetwork.RESNET18, 16);
    assertEquals(check, TrainRequest.of(check.line()));
    assertThrows(UsageException.class, () -> TrainNetwork.of("vgg"));
    assertThrows(UsageException.class, () -> TrainCase.of("gpu"));
  }

  @Test
  void otherNetworksAreNoticed() {
    double[] ours = {89_578, 2.5, 2.4, 2.3};
    assertTrue(TrainBenchmark.agree(ours, new double[] {89_578, 2.5001, 2.41, 2.31}));
    assertFalse(TrainBenchmark.agree(ours, new double[] {89_579, 2.5, 2.4, 2.3}));
    assertFalse(TrainBenchmark.agree(ours, new double[] {89_578, 2.51, 2.4, 2.3}));
    assertFalse(TrainBenchmark.agree(ours, new double[] {89_578, 2.5, 2.5, 2.3}));
    assertFalse(TrainBenchmark.agree(ours, new double[] {89_578, Double.NaN, 2.4, 2.3}));
  }
}
