import { UserError } from '../../model/errors.ts';
import { MOST_BYTES } from '../bytes.ts';

const MIB = 1024 * 1024;

/** What a bundle may cost. Nothing is unpacked to disk; what is not read is counted and thrown away as it streams by. */
export const LIMITS = {
  /** Files in a folder or an archive. */
  entries: 250_000,
  /** One file that is read: larger ones are left out with a note, and what they held is not known. */
  file: MOST_BYTES,
  /** All files that are read, together. */
  total: 4 * MOST_BYTES,
  /** An archive, unpacked, what is skipped included. */
  unpacked: 32 * 1024 * MIB,
  /** How much larger than the archive; judged once more than `ratioFrom` came out. gzip itself ends at 1,032. */
  ratio: 400,
  ratioFrom: 128 * MIB,
  /** What a decompressor may hold to look back into: xz -9 and zstd up to --long=26; gzip has 32 KiB. */
  window: 64 * MIB,
  /** A header of an archive that goes on for longer is no header. */
  header: 16 * MIB,
  /** Levels of folders above the first sign of a layout. */
  depth: 3,
};

export const tooMuch = (name: string, why: string): UserError =>
  new UserError(`${name} ${why}; it was not read.`, 'Unpack it yourself and give the folder of one cluster, or a bundle of fewer namespaces.');

export const inMiB = (bytes: number): string => `${Math.round(bytes / MIB).toLocaleString('en-US')} MiB`;

/** For a decompressor whose input asks for more memory than it may have. */
export const windowTooLarge = (bytes: number): UserError =>
  new UserError(
    `A compressed file of --from needs ${inMiB(bytes)} of memory to unpack, more than ${inMiB(LIMITS.window)}; it was not read.`,
    'Unpack it yourself and give what comes out.',
  );

/** Under the code that zlib has for it: what came before can be read. */
export const damaged = (why: string): Error => Object.assign(new Error(why), { code: 'Z_DATA_ERROR' });
