package dev.tandem.servers;

import dev.tandem.core.UsageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Stochastic gradient descent with momentum: v = m v + g, then p -= rate * v, or with Nesterov p -=
 * rate * (g + m v). It is the rule of the same name in {@code nn}, product by product: where the
 * engine multiplies and adds with one rounding, so does this.
 *
 * @param momentum share of the last direction that is kept, from 0 to less than 1
 * @param weightDecay share of a weight that is added to its gradient in a step
 * @param nesterov look ahead along the new direction
 * @param spans the parameters that learn, ascending; others, and gaps between tensors, stay as they
 *     are
 */
public record MomentumRule(double momentum, double weightDecay, boolean nesterov, List<Span> spans)
    implements UpdateRule {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /** Compilers vectorise loops over small arrays and not those over native memory. */
  private static final int BLOCK = 1024;

  /** Parameters that learn in the same way. */
  public record Span(long first, long count, boolean decays) {}

  public MomentumRule {
    if (!(momentum >= 0 && momentum < 1) || !(weightDecay >= 0)) {
      throw new UsageException(
          "momentum must be from 0 to less than 1 and weight decay 0 or more, not %s and %s"
              .formatted(momentum, weightDecay));
    }
    spans = List.copyOf(spans);
  }

  @Override
  public int slots() {
    return 1;
  }

  /** With less momentum; see {@code Note [late gradients]} in {@link ShardStore}. */
  @Override
  public MomentumRule whenLate(double steps) {
    double kept = Math.max(0, 1 - (1 - momentum) * (1 + steps));
    return new MomentumRule(kept, weightDecay, nesterov, spans);
  }

  @Override
  public void apply(Part part, MemorySegment gradient, double rate, double share, double weight) {
    for (Span span : spans) {
      long from = Math.max(span.first(), part.first()) - part.first();
      long end =
          Math.min(span.first() + span.count(), part.first() + part.elements()) - part.first();
      float decay = span.decays() ? (float) (weightDecay * share) : 0;
      for (long at = from; at < end; at += BLOCK) {
        int count = (int) Math.min(BLOCK, end - at);
        block(part, gradient, at, count, (float) rate, decay, (float) weight);
      }
    }
  }

  private void block(
      Part part,
      MemorySegment gradient,
      long at,
      int count,
      float rate,
      float decay,
      float weight) {
    long offset = at * Float.BYTES;
    MemorySegment velocity = part.slots().getFirst();
    float[] p = new float[BLOCK];
    float[] g = new float[BLOCK];
    float[] v = new float[BLOCK];
    MemorySegment.copy(part.parameters(), FLOAT, offset, p, 0, count);
    MemorySegment.copy(gradient, FLOAT, offset, g, 0, count);
    MemorySegment.copy(velocity, FLOAT, offset, v, 0, count);
    float kept = (float) momentum;
    if (weight != 1) {
      for (int i = 0; i < count; i++) {
        g[i] *= weight;
      }
    }
    if (decay > 0) {
      for (int i = 0; i < count; i++) {
        g[i] = Math.fma(p[i], decay, g[i]);
      }
    }
    for (int i = 0; i < count; i++) {
      v[i] = v[i] * kept + g[i];
    }
    float back = -rate;
    if (nesterov) {
      for (int i = 0; i < count; i++) {
        p[i] = Math.fma(Math.fma(v[i], kept, g[i]), back, p[i]);
      }
    } else {
      for (int i = 0; i < count; i++) {
        p[i] = Math.fma(v[i], back, p[i]);
      }
    }
    MemorySegment.copy(p, 0, part.parameters(), FLOAT, offset, count);
    MemorySegment.copy(v, 0, velocity, FLOAT, offset, count);
  }
}
