package dev.tandem.oracle.profile;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Exchange;
import dev.tandem.nn.spec.LayerSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What layers take by a profile. A layer that was measured takes what lies on the lines between the
 * numbers of samples that were measured, and on the outermost lines beyond them; another one what
 * measured layers of its kind let expect. Thread-safe.
 */
public final class ProfiledLayers implements LayerSeconds {

  private enum Part {
    FORWARD,
    DATA,
    WEIGHTS
  }

  /** Kinds whose time is that of products of matrices, for kinds that were not measured at all. */
  private static final Set<String> PRODUCTS =
      Set.of("convolution", "fully-connected", "self-attention");

  private static final String EXCHANGE = "exchange";

  private final Profile profile;
  private final DType type;
  private final Map<String, List<Profile.Times>> measured = new HashMap<>();
  private final Map<String, Map<Part, KindFit>> fits = new HashMap<>();
  private final Map<Asked, Passes> estimates = new ConcurrentHashMap<>();

  private record Asked(String signature, long samples) {}

  /** Of a profile, which may have no layers as long as none is asked for. */
  public ProfiledLayers(Profile profile) {
    this.profile = profile;
    type = DType.valueOf(profile.type().toUpperCase(Locale.ROOT));
    Map<String, List<Profile.Layer>> kinds = new HashMap<>();
    for (Profile.Layer layer : profile.layers()) {
      String key = layer.signature().isEmpty() ? LayerWork.shapes(layer) : layer.signature();
      measured.merge(key, layer.times(), ProfiledLayers::merged);
      if (!layer.kind().equals(EXCHANGE)) {
        kinds.computeIfAbsent(layer.kind(), _ -> new ArrayList<>()).add(layer);
        kinds.computeIfAbsent(group(layer.kind()), _ -> new ArrayList<>()).add(layer);
      }
    }
    kinds.forEach((kind, layers) -> fits.put(kind, fits(layers)));
  }

  private static List<Profile.Times> merged(List<Profile.Times> one, List<Profile.Times> other) {
    Map<Integer, Profile.Times> all = new HashMap<>();
    one.forEach(times -> all.put(times.samples(), times));
    other.forEach(times -> all.putIfAbsent(times.samples(), times));
    return all.values().stream().sorted(Comparator.comparingInt(Profile.Times::samples)).toList();
  }

  private static String group(String kind) {
    return PRODUCTS.contains(kind) ? "any product" : "any other";
  }

  private Map<Part, KindFit> fits(List<Profile.Layer> layers) {
    Map<Part, KindFit> parts = new EnumMap<>(Part.class);
    for (Part part : Part.values()) {
      List<KindFit.Point> points = new ArrayList<>();
      for (Profile.Layer layer : layers) {
        LayerWork work = LayerWork.of(layer);
        layer
            .times()
            .forEach(
                times ->
                    points.add(
                        new KindFit.Point(work.pass(times.samples(), type), seconds(times, part))));
      }
      parts.put(part, new KindFit(points));
    }
    return parts;
  }

  private static double seconds(Profile.Times times, Part part) {
    return switch (part) {
      case FORWARD -> times.forward();
      case DATA -> times.backwardData();
      case WEIGHTS -> times.backwardWeights();
    };
  }

  /** Whether this very layer was measured. */
  public boolean measured(LayerSpec layer, List<Shape> inputs) {
    return times(LayerSignature.of(layer, inputs).text(), layer, inputs) != null;
  }

  /** Of a layer of a program that does not know signatures, one of the same kind and shapes. */
  private List<Profile.Times> times(String signature, LayerSpec layer, List<Shape> inputs) {
    List<Profile.Times> times = measured.get(signature);
    return times != null ? times : measured.get(LayerWork.shapes(layer, inputs));
  }

  @Override
  public Passes of(LayerSpec layer, List<Shape> inputs, long samples) {
    if (samples == 0) {
      return Passes.NONE;
    }
    String signature = LayerSignature.of(layer, inputs).text();
    return estimates.computeIfAbsent(
        new Asked(signature, samples),
        _ -> {
          List<Profile.Times> times = times(signature, layer, inputs);
          LayerWork work = LayerWork.of(layer, inputs);
          return times == null ? estimated(work, samples) : interpolated(times, work, samples);
        });
  }

  private Passes estimated(LayerWork work, long samples) {
    Map<Part, KindFit> fit = fit(work);
    KindFit.Work pass = work.pass(samples, type);
    return new Passes(
        fit.get(Part.FORWARD).seconds(pass),
        fit.get(Part.DATA).seconds(pass),
        fit.get(Part.WEIGHTS).seconds(pass),
        false,
        fit.get(Part.FORWARD).error());
  }

  private Map<Part, KindFit> fit(LayerWork work) {
    Map<Part, KindFit> fit = fits.get(work.kind());
    if (fit == null) {
      fit = fits.get(group(work.kind()));
    }
    if (fit == null) {
      throw new UsageException(
          "the profile has no layers like %s: ./tandem profile MODEL measures those of a network"
              .formatted(work.kind()));
    }
    return fit;
  }

  private Passes interpolated(List<Profile.Times> times, LayerWork work, long samples) {
    double spread =
        times.stream()
            .min(Comparator.comparingLong(each -> Math.abs(each.samples() - samples)))
            .orElseThrow()
            .spread();
    return new Passes(
        interpolated(times, work, samples, Part.FORWARD),
        interpolated(times, work, samples, Part.DATA),
        interpolated(times, work, samples, Part.WEIGHTS),
        true,
        spread);
  }

  private double interpolated(List<Profile.Times> times, LayerWork work, long samples, Part part) {
    if (times.size() == 1) {
      // By what the fit says about another number of samples.
      Profile.Times only = times.getFirst();
      double known = seconds(only, part);
      KindFit fit = fit(work).get(part);
      double there = fit.seconds(work.pass(only.samples(), type));
      return known == 0 || there == 0 || samples == only.samples()
          ? known * samples / only.samples()
          : known * fit.seconds(work.pass(samples, type)) / there;
    }
    return line(times, samples, part);
  }

  private static double line(List<Profile.Times> times, long samples, Part part) {
    int last = times.size() - 1;
    Profile.Times first = times.getFirst();
    if (last == 0) {
      return seconds(first, part) * samples / first.samples();
    }
    int above = 1;
    while (above < last && times.get(above).samples() < samples) {
      above++;
    }
    Profile.Times low = times.get(above - 1);
    Profile.Times high = times.get(above);
    double slope =
        (seconds(high, part) - seconds(low, part)) / (double) (high.samples() - low.samples());
    double line = seconds(low, part) + slope * (samples - low.samples());
    // Noise must not make a layer take less than nothing, or less than of fewer samples.
    if (samples < first.samples()) {
      double known = seconds(first, part);
      return Math.clamp(line, known * samples / first.samples(), known);
    }
    return samples > high.samples() ? Math.max(line, seconds(high, part)) : line;
  }

  @Override
  public Passes packing(Exchange exchange, long samples, DType activations) {
    List<Profile.Times> times = measured.get(LayerSignature.of(exchange).text());
    if (times == null || activations != type) {
      return LayerSeconds.super.packing(exchange, samples, activations);
    }
    return new Passes(
        line(times, samples, Part.FORWARD),
        line(times, samples, Part.DATA),
        0,
        true,
        times.getLast().spread());
  }

  @Override
  public double update(long bytes, int tensors, int stateValues) {
    Profile.Update update =
        profile.updates().stream()
            .min(Comparator.comparingInt(each -> Math.abs(each.stateValues() - stateValues)))
            .orElseThrow(
                () ->
                    new UsageException(
                        "the profile has no updates: make it again with ./tandem profile"));
    // Gradient in, parameter and each number of the state in and out.
    double factor = (3.0 + 2 * stateValues) / (3 + 2 * update.stateValues());
    return factor * bytes * update.secondsPerByte() + tensors * update.secondsPerTensor();
  }

  @Override
  public double copy(long bytes) {
    return bytes == 0 ? 0 : profile.copySeconds() + bytes * profile.copySecondsPerByte();
  }

  @Override
  public double perPass(int layers) {
    return profile.perPass().seconds() + layers * profile.perPass().perLayer();
  }
}
