/** The baseline: a keep-alive client that reads the paths on stdin and parses them, nothing else. Lists in parallel, pages in order. */
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';

const [port] = process.argv.slice(2);
const paths = JSON.parse(await text(process.stdin)) as string[];
const agent = new Agent({ keepAlive: true, maxSockets: 6 });
const kept: unknown[] = [];

const read = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (body.startsWith('{')) kept.push(JSON.parse(body));
        resolve();
      });
    }).on('error', reject);
  });

const byList = new Map<string, string[]>();
for (const path of paths) {
  const list = path.split('?')[0] ?? path;
  byList.set(list, [...(byList.get(list) ?? []), path]);
}
await Promise.all(
  [...byList.values()].map(async (list) => {
    for (const path of list) await read(path);
  }),
);
process.stdout.write(`${kept.length}\n`);
agent.destroy();
