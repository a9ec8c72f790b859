package dev.tandem.ensemble.combine;

/**
 * The class that most members name. The mean of their probabilities counts as one vote more, which
 * is divided among the classes: so it decides between classes with as many votes, and no others.
 */
public record Majority() implements Combiner {

  @Override
  public double[] combine(double[][] answers) {
    double[] votes = Averaging.of(answers.length).combine(answers);
    for (double[] answer : answers) {
      votes[Combiner.best(answer)]++;
    }
    for (int i = 0; i < votes.length; i++) {
      votes[i] /= answers.length + 1;
    }
    return votes;
  }
}
