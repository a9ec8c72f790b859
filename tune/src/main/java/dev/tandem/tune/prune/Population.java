package dev.tandem.tune.prune;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Domain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Parameters;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import dev.tandem.tune.trial.Trial;
import dev.tandem.tune.trial.TrialState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Population based training: every trial is a member, paused after every {@code interval} steps. A
 * member that is then among the worst goes on from the checkpoint of a random one of the best, with
 * parameters near that one's; the others go on as they are.
 *
 * @param interval steps between pauses
 * @param quantile the share of members that is among the worst, and of those among the best
 * @param resample how likely a parameter is drawn afresh rather than changed a little
 * @param together whether all members wait for each other at each pause; otherwise each is compared
 *     with what the others last had, and the one with the fewest steps goes on first
 * @param steps of a whole trial
 */
public record Population(
    Space space,
    Seed seed,
    long interval,
    double quantile,
    double resample,
    boolean together,
    long steps)
    implements Schedule {

  private static final double LARGER = 1.2;
  private static final double SMALLER = 0.8;

  public Population {
    if (interval < 1) {
      throw new UsageException("pruner.pbt.interval is %d, expected 1 or more".formatted(interval));
    }
    if (!(quantile > 0 && quantile <= 0.5)) {
      throw new UsageException(
          "pruner.pbt.quantile is %s, expected more than 0 and at most 0.5".formatted(quantile));
    }
    if (!(resample >= 0 && resample <= 1)) {
      throw new UsageException("pruner.pbt.resample is %s, expected 0 to 1".formatted(resample));
    }
  }

  @Override
  public Decision decide(Trial trial, History history) {
    return Decision.GO_ON;
  }

  @Override
  public long after(long step) {
    long next = (step / interval + 1) * interval;
    return next < steps ? next : NEVER;
  }

  @Override
  public boolean always() {
    return true;
  }

  @Override
  public boolean stopsWithoutNumber() {
    return false;
  }

  @Override
  public List<Continuation> next(Standing standing) {
    List<Trial> paused =
        standing.trials().stream().filter(each -> each.state() == TrialState.PAUSED).toList();
    if (paused.isEmpty() || !standing.complete()) {
      return List.of();
    }
    List<Trial> members = standing.trials().stream().filter(each -> !each.state().ended()).toList();
    long least = paused.stream().mapToLong(this::reached).min().orElseThrow();
    if (!together) {
      Trial first =
          paused.stream().filter(each -> reached(each) == least).findFirst().orElseThrow();
      List<Member> ranked =
          members.stream().flatMap(each -> member(each, reached(each)).stream()).toList();
      return List.of(continuation(first, least, ranked, standing.direction()));
    }
    List<Member> ranked = members.stream().flatMap(each -> member(each, least).stream()).toList();
    return ranked.size() < members.size()
        ? List.of()
        : paused.stream()
            .filter(each -> reached(each) == least)
            .map(each -> continuation(each, least, ranked, standing.direction()))
            .toList();
  }

  /** A trial with its metric at a pause. */
  private record Member(Trial trial, double value) {}

  /** The step of the last pause that a trial has come to; 0 if none. */
  private long reached(Trial trial) {
    return trial.reports().isEmpty() ? 0 : trial.reports().getLast().step() / interval * interval;
  }

  private static Optional<Member> member(Trial trial, long pause) {
    return pause == 0
        ? Optional.empty()
        : Schedule.at(trial, pause).map(report -> new Member(trial, report.value()));
  }

  private Continuation continuation(
      Trial trial, long pause, List<Member> members, Direction direction) {
    List<Member> ranked =
        members.stream()
            .sorted(Comparator.comparingDouble(each -> direction.loss(each.value)))
            .toList();
    int share = Math.min((int) Math.ceil(ranked.size() * quantile), ranked.size() / 2);
    List<Member> best =
        ranked.stream().limit(share).filter(each -> Double.isFinite(each.value)).toList();
    int place = ranked.stream().map(each -> each.trial.number()).toList().indexOf(trial.number());
    double value = ranked.get(place).value;
    boolean worst = place >= ranked.size() - share || !Double.isFinite(value);
    if (!worst || best.isEmpty()) {
      return Continuation.of(trial);
    }
    Seed own = seed.derive("population").derive(trial.number()).derive(pause);
    Member parent = best.get(own.derive("parent").random().nextInt(best.size()));
    if (!direction.better(parent.value, value)) {
      return Continuation.of(trial);
    }
    Parameters near = explored(parent.trial.parameters(), own.derive("explore"));
    return new Continuation(trial.number(), Optional.of(new Takeover(parent.trial.number(), near)));
  }

  /** Parameters near others. */
  private Parameters explored(Parameters others, Seed own) {
    return space.choose(
        parameter -> {
          SplittableRandom random = own.derive(parameter.name()).random();
          Domain domain = parameter.domain();
          boolean known =
              others.has(parameter.name()) && domain.contains(others.value(parameter.name()));
          if (!known || random.nextDouble() < resample) {
            return domain.value(
                domain.low() + random.nextDouble() * (domain.high() - domain.low()));
          }
          return neighbour(parameter, others.value(parameter.name()), random.nextBoolean());
        });
  }

  private static Object neighbour(Parameter parameter, Object value, boolean up) {
    int direction = up ? 1 : -1;
    return switch (parameter.domain()) {
      case ChoiceDomain choice -> choice.value(choice.internal(value) + direction);
      case WholeDomain whole ->
          whole.value(
              whole.internal(
                  Math.clamp(
                      ((Number) value).longValue() + direction * whole.step(),
                      whole.least(),
                      whole.greatest())));
      case RealDomain real -> {
        double from = ((Number) value).doubleValue();
        double to =
            real.step() > 0 ? from + direction * real.step() : from * (up ? LARGER : SMALLER);
        yield Math.clamp(to, real.least(), real.greatest());
      }
    };
  }
}
