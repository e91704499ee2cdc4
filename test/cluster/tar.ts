export interface TarEntry {
  name: string;
  /** A file's bytes; a link's target; neither for a folder. */
  data?: Buffer;
  link?: string;
  mode?: number;
}

const BLOCK = 512;

function header(entry: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  const type = entry.link !== undefined ? '2' : entry.data !== undefined ? '0' : '5';
  block.write(entry.name, 0, 100, 'utf8');
  block.write(octal(entry.mode ?? (type === '5' ? 0o755 : 0o644), 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(entry.data?.length ?? 0, 12), 124);
  block.write(octal(0, 12), 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(entry.link ?? '', 157, 100, 'utf8');
  block.write('ustar\x0000', 257, 8, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A ustar archive; everything belongs to root and dates from 1970, so the same entries give the same bytes. Names up to 100 bytes. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const size = entry.data?.length ?? 0;
    return [header(entry), entry.data ?? Buffer.alloc(0), Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}
