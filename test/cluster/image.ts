import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { IMAGE, PAUSE_IMAGE, paths } from './layout.ts';
import { tar } from './tar.ts';

const APPLETS = ['sh', 'sleep', 'httpd', 'nc', 'wget', 'cat', 'echo', 'ls', 'touch', 'rm', 'mkdir', 'tail', 'head', 'date', 'kill', 'hostname', 'true', 'false', 'test', 'seq', 'id', 'ip', 'nslookup', 'grep', 'chmod'];

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

/** Debian's static busybox as one layer. */
function layer(): Buffer {
  return tar([
    ...['bin/', 'etc/', 'tmp/', 'www/'].map((name) => ({ name, mode: name === 'tmp/' ? 0o1777 : 0o755 })),
    { name: 'bin/busybox', data: readFileSync('/bin/busybox'), mode: 0o755 },
    ...APPLETS.map((name) => ({ name: `bin/${name}`, link: 'busybox' })),
    { name: 'etc/passwd', data: Buffer.from('root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n') },
    { name: 'etc/group', data: Buffer.from('root:x:0:\nnobody:x:65534:\n') },
    { name: 'www/index.html', data: Buffer.from('ok\n') },
  ]);
}

function config(command: readonly string[], diffId: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      created: '1970-01-01T00:00:00Z',
      config: { Cmd: command, Env: ['PATH=/bin'], WorkingDir: '/' },
      rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
      history: [{ created: '1970-01-01T00:00:00Z' }],
    }),
  );
}

/** Writes a docker-archive with the pods' image and the sandbox image, for `ctr images import`. */
export function writeImages(): void {
  const data = layer();
  const id = sha256(data);
  const images = [
    { tag: IMAGE, config: config(['/bin/sh'], id) },
    { tag: PAUSE_IMAGE, config: config(['/bin/sleep', '2147483647'], id) },
  ].map((image) => ({ ...image, file: `${sha256(image.config)}.json` }));
  const manifest = images.map((image) => ({ Config: image.file, RepoTags: [image.tag], Layers: ['layer.tar'] }));
  writeFileSync(
    paths.images,
    tar([
      { name: 'manifest.json', data: Buffer.from(JSON.stringify(manifest)) },
      ...images.map((image) => ({ name: image.file, data: image.config })),
      { name: 'layer.tar', data },
    ]),
  );
}
