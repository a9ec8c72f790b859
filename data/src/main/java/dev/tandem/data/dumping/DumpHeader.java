package dev.tandem.data.dumping;

import java.util.Optional;

/**
 * What stands before the records of one database in a dump.
 *
 * @param printable records hold printable characters as they are, not all in hexadecimal
 * @param database name of a named database, or empty for the main one
 * @param flags LMDB's persistent database flags
 * @param mapSize bytes to which the environment is mapped, 0 if the dump does not say
 * @param mapAddress where it is mapped, 0 if anywhere
 * @param maxReaders reader slots, 0 if the dump does not say
 * @param pageSize bytes a page, 0 if the dump does not say
 */
public record DumpHeader(
    boolean printable,
    Optional<String> database,
    int flags,
    long mapSize,
    long mapAddress,
    int maxReaders,
    int pageSize) {}
