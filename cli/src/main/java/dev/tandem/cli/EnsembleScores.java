package dev.tandem.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.ensemble.combine.CombineMethod;
import dev.tandem.ensemble.combine.EnsembleEvaluation;
import dev.tandem.ensemble.combine.OpenMembers;
import dev.tandem.nn.Evaluation;
import dev.tandem.train.RegressionScores;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How good an ensemble is beside its members: what {@code eval --json} gets.
 *
 * @param run as it was named
 * @param images of the test set, or rows
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record EnsembleScores(
    String run, long images, List<Member> members, List<Method> methods, double seconds) {

  /** A member alone; accuracy is null where there are values instead of classes. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Member(
      String name,
      String run,
      long step,
      Double accuracy,
      double testLoss,
      RegressionScores regression) {}

  /** All together by a method; weights are null where it has none. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Method(
      String method,
      Double accuracy,
      double testLoss,
      RegressionScores regression,
      List<Double> weights) {}

  static EnsembleScores of(
      String run, OpenMembers open, EnsembleEvaluation evaluation, double seconds) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < evaluation.members().size(); i++) {
      Evaluation each = evaluation.members().get(i);
      members.add(
          new Member(
              open.members().names().get(i),
              open.members().runs().get(i).toString(),
              open.runs().get(i).step(),
              accuracy(each),
              each.meanLoss(),
              RegressionScores.of(each)));
    }
    List<Method> methods = new ArrayList<>();
    for (Map.Entry<CombineMethod, Evaluation> entry : evaluation.methods().entrySet()) {
      CombineMethod method = entry.getKey();
      Evaluation each = entry.getValue();
      methods.add(
          new Method(
              method.code(),
              accuracy(each),
              each.meanLoss(),
              RegressionScores.of(each),
              evaluation.weights().get(method)));
    }
    return new EnsembleScores(run, evaluation.samples(), members, methods, seconds);
  }

  private static Double accuracy(Evaluation evaluation) {
    return evaluation.regression() ? null : (Double) evaluation.accuracy();
  }

  void print(PrintWriter out) {
    int width =
        Math.max(20, members.stream().mapToInt(member -> member.name().length()).max().orElse(0));
    boolean classes = members.getFirst().accuracy() != null;
    out.printf(
        "%-" + width + "s %10s %10s%n",
        "member",
        classes ? "accuracy" : "MSE",
        classes ? "mean loss" : "R2");
    for (Member member : members) {
      line(out, width, member.name(), member.accuracy(), member.testLoss(), member.regression());
      out.println();
    }
    out.printf("%n%-" + width + "s%n", "all %d together".formatted(members.size()));
    for (Method method : methods) {
      line(out, width, method.method(), method.accuracy(), method.testLoss(), method.regression());
      if (method.weights() != null && !method.method().equals(CombineMethod.AVERAGE.code())) {
        out.print("  weights " + text(method.weights()));
      }
      out.println();
    }
    out.printf("%n%20s: %,d%n", classes ? "images" : "samples", images);
    out.printf("%20s: %.1f s%n", "total time", seconds);
  }

  private static String text(List<Double> weights) {
    return weights.stream()
        .map(weight -> String.format(Locale.ROOT, "%.3f", weight))
        .collect(Collectors.joining(" "));
  }

  private static void line(
      PrintWriter out,
      int width,
      String name,
      Double accuracy,
      double loss,
      RegressionScores regression) {
    if (regression == null) {
      out.printf("%-" + width + "s %9.2f%% %10.4f", name, accuracy * 100, loss);
    } else {
      out.printf("%-" + width + "s %10.5g %10.4f", name, regression.mse(), regression.r2());
    }
  }
}
