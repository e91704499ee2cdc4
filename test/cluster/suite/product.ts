import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { Report } from '../../../src/model/report.ts';
import { binary, STATE } from '../layout.ts';
import { type Ran, run } from '../run.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const BIN = join(ROOT, 'bin');

// What the machine's own kubeconfig or colours say must not matter.
const { KUBECONFIG: _kubeconfig, FORCE_COLOR: _color, ...env } = process.env;

/** Runs the program as a user does, from its own folder of commands. */
export const strata = (...args: string[]): Promise<Ran> => run([join(BIN, 'kubectl-strata'), ...args], { tolerate: true, limitMs: 240_000, env });

/** The same, interrupted as by ^C when something else has ended. */
export const strataUntil = (interruptAfter: Promise<unknown>, ...args: string[]): Promise<Ran> =>
  run([join(BIN, 'kubectl-strata'), ...args], { tolerate: true, limitMs: 240_000, env, interruptAfter });

/** `kubectl strata`: kubectl finds the program on the PATH. */
export const kubectlStrata = (...args: string[]): Promise<Ran> =>
  run([binary('kubectl'), 'strata', ...args], { tolerate: true, limitMs: 120_000, env: { ...env, PATH: `${BIN}:${env['PATH']}` } });

/** Any other kubectl command. */
export const kubectl = (kubeconfig: string, ...args: string[]): Promise<Ran> =>
  run([binary('kubectl'), '--kubeconfig', kubeconfig, '--cache-dir', join(STATE, 'kubectl-cache'), ...args], { tolerate: true, limitMs: 240_000, env });

const schema = JSON.parse(readFileSync(join(ROOT, 'dist', 'report.schema.json'), 'utf8'));
const valid = new Ajv({ allErrors: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ } }).compile(schema);

/** The report that was printed. Throws with what was printed instead, or with what the published schema has against it. */
export function reportOf(ran: Ran): Report {
  let report: unknown;
  try {
    report = JSON.parse(ran.stdout);
  } catch {
    throw new Error(`no report, exit ${ran.code}\n${ran.stderr}\n${ran.stdout}`);
  }
  if (!valid(report)) throw new Error(`not as the schema says:\n${valid.errors?.map((e) => `${e.instancePath} ${e.message}`).join('\n')}`);
  return report as Report;
}
