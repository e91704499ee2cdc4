import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import type { Report } from '../../src/model/report.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { serveSnapshot, writeKubeconfig } from '../../src/serve/index.ts';
import { type Opened, openSource } from '../../src/source/index.ts';

const root = fileURLToPath(new URL('../../fixtures', import.meta.url));
const fixtures = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);

const report = ({ snapshot, scope }: Opened): Report => diagnose(snapshot, scope, { strict: true });

/** What was said, but for the source, its address and its cost, and the second that reading took. */
function alike({ snapshot, scope }: Opened, recorded: Snapshot): Opened {
  // Who asked, of which address, over which connection, is of the reading.
  const { version, reached, health, failures } = snapshot.server;
  return {
    scope,
    snapshot: new Snapshot({
      objects: snapshot.kinds().flatMap((kind) => snapshot.seen(kind)), coverage: [...snapshot.coverage], notes: [...snapshot.notes],
      server: { ...recorded.server, version, reached, health, failures }, capturedAt: recorded.capturedAt, source: recorded.source, cost: recorded.cost,
    }),
  };
}

const said = ({ coverage: _, notes: __, skipped, ...rest }: Report) => ({
  ...rest,
  skipped: skipped.map(({ rule, objects, why: { reason, kind, namespace, name } }) => ({ rule, objects, reason, kind, namespace, name })),
});
const outline = ({ verdict, workloads, findings }: Report) => ({
  verdict,
  workloads,
  findings: findings.map(({ rule, layer, role, certainty, on, title }) => ({ rule, layer, role, certainty, on, title })),
});
const covered = ({ coverage }: Snapshot) =>
  coverage.map(({ kind, namespace, state, count, selector }) => [kind, namespace, state, count, selector].join(' ')).sort();

async function served(opened: Opened): Promise<Opened> {
  const server = await serveSnapshot(opened.snapshot);
  const config = await writeKubeconfig(server, opened.scope.namespaces[0]);
  try {
    const targets = opened.scope.targets.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`);
    return await openSource({ kube: { kubeconfig: config.path }, targets, all: opened.scope.all, namespaces: opened.scope.namespaces, selector: opened.scope.selector });
  } finally {
    await server.close();
    config.remove();
  }
}

describe('the product reads from serve what it reads from the recording', () => {
  test('there are fixtures', () => expect(fixtures.length).toBeGreaterThan(20));

  for (const name of fixtures) {
    test(name, async () => {
      const recorded = await openSource({ from: [`${root}/${name}`] });
      if (recorded.snapshot.server.reached === false) return void (await expect(served(recorded)).rejects.toThrow(/did not answer when this was recorded/));
      const again = await served(recorded);
      const [got, wanted] = [covered(again.snapshot), covered(recorded.snapshot)];
      // What a reader wants changes with its version; what was not recorded is not known, and nothing is made up.
      expect(got.filter((entry) => !wanted.includes(entry) && !entry.includes(' not-collected '))).toEqual([]);
      const [theirs, ours] = [report(alike(again, recorded.snapshot)), report(recorded)];
      // What failed then is refused at once now: its time, and how long it hung, do not come again.
      if (recorded.snapshot.server.failures.length > 0) expect(outline(theirs)).toEqual(outline(ours));
      else expect(said(theirs)).toEqual(said(ours));
    });
  }
});
