/**
 * Checkpoints: the state tree of a run on disk, committed whole or not at all. Knows tensors by
 * name, not the engine that computes with them.
 *
 * <h2>On disk</h2>
 *
 * A checkpoint is a folder {@code step-<n>} with one safetensors file for each rank, {@code
 * shard-<rank>-of-<ranks>.safetensors}, and {@code manifest.json}. The manifest says of every
 * tensor its type, its whole shape and the pieces that make it up: each a block of the tensor, at a
 * position of a shard, with a CRC-32C. Nothing in it says what ranks there must be when it is read,
 * so a checkpoint opens on any number of them. A piece may lie in a shard of an earlier checkpoint
 * (incremental) and may be compressed (zstd; then its shard holds it as plain bytes). There is no
 * code and no object in any file.
 *
 * <h2>Which rank writes what</h2>
 *
 * Ranks that hold the same block of a tensor divide it by rows so that each writes as many bytes as
 * the others, within one row ({@link dev.tandem.checkpoint.Division}). Ranks that hold different
 * blocks of one tensor ({@link dev.tandem.checkpoint.SlicedState}) write what they have. No tensor
 * passes through another rank.
 *
 * <h2>Note [commit]</h2>
 *
 * Two phases. First every rank writes its shard, past the page cache, and forces it and the
 * folder's names to disk. What the shard will be is known long before that, as soon as its
 * checksums are: the ranks tell it to rank 0, which writes {@code manifest.json.pending} and forces
 * it while the disk is still busy with the shards. Only when all have said that theirs is on the
 * disk does rank 0 rename it to {@code manifest.json} and force the folder; that name is the commit
 * mark. A folder without it is no checkpoint, and its remains are removed before the step is
 * written again. Removing goes the other way round: first the mark, then the rest. A step that has
 * a mark is never written over, unless it was found damaged when a run went on from an older one.
 *
 * <h2>Note [partners]</h2>
 *
 * A level may be the memory of the ranks: every rank holds what it saves and what one other saves,
 * on another host where there are several ({@link dev.tandem.checkpoint.Partners}). Both hold the
 * manifest, so the checksums are those of a checkpoint on disk, verified when a part arrives and
 * again before any state is touched. Nothing is committed: a checkpoint exists if every part of it
 * is held by some rank, which the ranks agree on when they restore; so any ranks may be lost of
 * which no two are partners, at any moment. The one before is let go only when all ranks have said
 * that they hold the new one. The memory ({@link dev.tandem.checkpoint.PartnerMemory}) belongs to
 * the process and outlives communicators; a checkpoint is identified by its step and by the
 * generation of the job that saved it, because another number of ranks cuts the same state in
 * another way.
 *
 * <h2>Note [retention]</h2>
 *
 * {@link dev.tandem.checkpoint.Retention} names the steps to keep. Beyond these the store keeps
 * every checkpoint that a kept one refers to, and removes nothing at all unless one of the kept is
 * complete: its manifest written by this process or found readable once, all its shards there and
 * as long as they should be. It does so after the commit, and the other ranks do not wait for it.
 *
 * <h2>Threads and memory</h2>
 *
 * A store is called by one thread at a time, in all ranks at the same place of the program, because
 * saving talks to the other ranks. {@link dev.tandem.checkpoint.BackgroundCheckpoints} copies the
 * state between two steps into memory of its own (two buffers, in huge pages), with the rank's
 * share of the host's processors, and writes in a thread of low priority that has a communicator of
 * its own; live tensors are borrowed for the duration of the copy only. The names of all threads
 * begin with {@code checkpoint-}.
 */
package dev.tandem.checkpoint;
