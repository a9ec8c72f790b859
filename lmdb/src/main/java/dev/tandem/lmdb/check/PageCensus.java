package dev.tandem.lmdb.check;

/**
 * What the pages of a snapshot are used for. All of them together are {@code lastPage + 1}.
 *
 * @param free pages that the free list gives to later transactions
 * @param lost pages that are neither reachable nor free; they waste space and harm nothing
 * @param branchFill filled part of the branch pages, 0 to 1
 * @param leafFill filled part of the leaf pages, 0 to 1
 */
public record PageCensus(
    long meta,
    long branch,
    long leaf,
    long overflow,
    long free,
    long lost,
    double branchFill,
    double leafFill) {}
