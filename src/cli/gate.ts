import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../model/errors.ts';
import type { GateChange, GateRef } from '../model/gate.ts';
import { EXIT, type Report } from '../model/report.ts';
import type { Scope, Snapshot } from '../model/snapshot.ts';
import type { Step } from '../gate/advance.ts';
import { type Wishes, wishOf } from '../gate/conditions.ts';
import { replayGate, watchGate } from '../gate/loop.ts';
import { expects, type GateOptions, SOAK } from '../gate/options.ts';
import { resourceOfKind } from '../model/resources.ts';
import { INERT } from '../gate/targets.ts';
import { visible } from '../render/escape.ts';
import {
  createTimeline,
  followSource,
  hasTimeline,
  type ManifestObject,
  openSource,
  readManifests,
  readTimeline,
  targetsIn,
  writeRecording,
  writeTimeline,
} from '../source/index.ts';
import { type Flags, milliseconds, selectorOf, sourceOptions } from './flags.ts';
import { outputsOf, put } from './outputs.ts';
import { rulesOf } from './rule-set.ts';
import { type Progress, showProgress } from './spinner.ts';
import { version } from '../model/version.ts';

export interface GateFlags extends Flags {
  filename?: string[];
  timeout?: string;
  soak?: string;
  expectImage?: string[];
  expectGeneration?: string;
  expectChange?: boolean;
  record?: string;
  watch?: string;
  for?: string[];
  failFor?: string[];
}

/** `gate [TYPE/NAME...]`: waits for a rollout, and says what came of it. */
export async function gate(targets: string[], flags: GateFlags): Promise<number> {
  const [outputs, rules] = await Promise.all([outputsOf(flags.output), rulesOf(flags)]);
  selectorOf(flags.selector);
  const asked = askedBy(flags);
  const progress = showProgress();
  const onStep = (step: Step): void => {
    for (const change of step.changes) progress.line(lineOf(change));
    progress.say(step.waits);
  };
  let report: Report;
  try {
    report = flags.from?.length
      ? await replay(targets, flags, asked, onStep, { rules, risks: flags.risks ?? false })
      : await watch(targets, flags, asked, onStep, progress, { rules, risks: flags.risks ?? false });
  } finally {
    progress.stop();
  }
  process.exitCode = EXIT[report.verdict];
  await put(outputs, report, flags, rules);
  return EXIT[report.verdict];
}

interface Judging {
  rules: Awaited<ReturnType<typeof rulesOf>>;
  risks: boolean;
}

async function watch(targets: string[], flags: GateFlags, asked: Asked, onStep: (step: Step) => void, progress: Progress, judging: Judging): Promise<Report> {
  const manifests = await manifestsOf(flags);
  const base = sourceOptions(flags);
  const limits = { began: performance.now(), timeout: asked.timeout, look: base.requestTimeout };
  const spaces = [...new Set([...(base.namespaces ?? []), ...manifests.flatMap(({ namespace }) => namespace ?? [])])];
  const homeless = manifests.find(({ kind, namespace }) => namespace === undefined && resourceOfKind(kind)?.namespaced !== false);
  if (homeless && spaces.length > 0 && !flags.namespace)
    throw new UserError(`${homeless.file}:${homeless.line} has no namespace, and others have one.`, 'Say with -n where it was applied.');
  const followed = await followSource({
    ...base,
    namespaces: spaces,
    targets: [...targets, ...manifests.map(typedOf)],
    watch: asked.watch,
    loginTimeout: asked.timeout && asked.timeout * 1000,
    onProgress: () => undefined,
  });
  const timeline = flags.record ? createTimeline() : null;
  const optionsFor = (scope: Scope): GateOptions => ({
    scope: { ...scope, targets: [] },
    soak: asked.soak,
    expect: asked.expect,
    ...(asked.timeout === undefined ? {} : { timeout: asked.timeout }),
    targets: manifests.length > 0 ? refsOf(manifests, flags.namespace?.[0] ?? scope.namespaces[0], present(scope.targets)) : present(scope.targets),
    ...(asked.wishes ? { wishes: asked.wishes } : {}),
  });
  try {
    const { report, snapshot, options } = await watchGate(
      followed,
      optionsFor,
      { limits, onStep, onLook: (each) => timeline?.add(each), wait: sleep },
      judging,
    );
    if (timeline && report.verdict !== 'healthy') await keep(flags.record as string, snapshot, options, timeline.lines(), progress);
    return report;
  } finally {
    followed.close();
  }
}

async function manifestsOf({ filename = [] }: GateFlags): Promise<ManifestObject[]> {
  if (filename.length === 0) return [];
  const manifests = (await readManifests(filename, process.stdin)).filter(({ kind }) => !INERT.has(kind));
  if (manifests.length === 0)
    throw new UserError(
      `Nothing in ${filename.join(', ')} has to be waited for.`,
      'Configuration is at its goal by being there; give manifests with workloads, claims or Services.',
    );
  return manifests;
}

/** A type of which there is none is not waited for, unless nothing else was named. */
function present(targets: Scope['targets']): Scope['targets'] {
  const named = targets.filter(({ name }) => name !== '');
  return named.length > 0 ? named : targets;
}

const typedOf = ({ kind, name }: ManifestObject): string => `${kind.toLowerCase()}/${name}`;

/** The manifest's own objects, and what was named besides. Whatever has no namespace of its own is in that of -n; only a cluster-scoped kind is in none. */
function refsOf(manifests: readonly ManifestObject[], home: string | undefined, resolved: Scope['targets']): GateRef[] {
  const written = manifests.map(({ kind, name, namespace, file, line }): GateRef => {
    const scoped = resolved.find((target) => target.kind === kind && target.name === name);
    const place = scoped && scoped.namespace === undefined ? undefined : (namespace ?? home);
    return { kind, name, ...(place ? { namespace: place } : {}), file, line };
  });
  const named = resolved.filter((target) => !manifests.some(({ kind, name }) => kind === target.kind && name === target.name));
  return [...named, ...written];
}

interface Asked {
  wishes: Wishes | undefined;
  watch: boolean;
  timeout: number | undefined;
  soak: number;
  expect: GateOptions['expect'];
}

function askedBy(flags: GateFlags): Asked {
  const seconds = (text: string | undefined, flag: string): number | undefined => {
    const ms = milliseconds(text, flag);
    return ms === undefined ? undefined : ms / 1000;
  };
  const generation = flags.expectGeneration === undefined ? undefined : Number(flags.expectGeneration);
  if (generation !== undefined && !(Number.isInteger(generation) && generation > 0))
    throw new UserError(`"${flags.expectGeneration}" is no generation.`, 'Write the number that kubectl get -o jsonpath={.metadata.generation} gives.');
  const timeout = seconds(flags.timeout, '--timeout');
  if (flags.watch !== undefined && flags.watch !== 'true' && flags.watch !== 'false')
    throw new UserError(`--watch is true or false, and not "${flags.watch}".`, 'It watches by itself; --watch=false reads everything again at each look.');
  for (const text of flags.for ?? []) wishOf(text);
  for (const text of flags.failFor ?? []) wishOf(text, '--fail-for');
  return {
    wishes: flags.for || flags.failFor ? { for: flags.for ?? [], fail: flags.failFor ?? [] } : undefined,
    watch: flags.watch !== 'false',
    timeout: timeout === 0 ? undefined : timeout,
    soak: seconds(flags.soak, '--soak') ?? SOAK,
    expect: { images: flags.expectImage ?? [], ...(generation === undefined ? {} : { generation }), ...(flags.expectChange ? { change: true } : {}) },
  };
}

async function keep(directory: string, snapshot: Snapshot, options: GateOptions, lines: readonly string[], progress: Progress): Promise<void> {
  await writeRecording(
    directory,
    snapshot,
    {
      ...options.scope,
      targets: options.targets.map(({ kind, name, namespace }) => ({ kind, name, ...(namespace ? { namespace } : {}) })),
    },
    `kubectl-strata ${version}`,
  );
  await writeTimeline(directory, options, lines);
  progress.line(`replay: kubectl strata gate --from ${visible(directory)}`);
}

/** What the recording's own gate was asked, but for what is asked now; a recording that no gate made asks nothing. */
async function replay(targets: string[], flags: GateFlags, asked: Asked, onStep: (step: Step) => void, judging: Judging): Promise<Report> {
  const [directory = '', ...others] = flags.from ?? [];
  if (others.length > 0) throw new UserError('A gate is replayed from one recording.', 'Give one --from.');
  if (flags.record) throw new UserError('A replay of a gate is not recorded again.', `Leave out --record: ${directory} is the recording.`);
  // What cannot be read at all is refused in the same words as everywhere.
  if (!(await hasTimeline(directory))) await openSource(sourceOptions(flags));
  if (!(await hasTimeline(directory)))
    throw new UserError(
      `${directory} holds one moment, and a gate needs what came before.`,
      `Judge that moment with kubectl strata --from ${directory}; kubectl strata gate --record and kubectl strata record --follow keep the time line.`,
    );
  const { asked: before, looks } = await readTimeline(directory);
  const manifests = await manifestsOf(flags);
  const told =
    before === null
      ? { scope: { ...(await openSource(sourceOptions(flags))).scope, targets: [] }, targets: [], soak: SOAK, expect: asked.expect }
      : optionsIn(before, directory);
  const named = targets.length > 0 || manifests.length > 0;
  const optionsFor = (snapshot: Snapshot): GateOptions => {
    const { scope } = told;
    const resolved = named ? present(targetsIn([...targets, ...manifests.map(typedOf)], snapshot, scope.namespaces)) : told.targets;
    return {
      ...told,
      targets: manifests.length > 0 ? refsOf(manifests, flags.namespace?.[0] ?? scope.namespaces[0], resolved) : resolved,
      ...(flags.soak === undefined ? {} : { soak: asked.soak }),
      ...(asked.timeout === undefined ? {} : { timeout: asked.timeout }),
      ...(expects(asked.expect) ? { expect: asked.expect } : {}),
      ...(asked.wishes ? { wishes: asked.wishes } : {}),
    };
  };
  const done = await replayGate(looks, optionsFor, onStep, judging);
  if (!done)
    throw new UserError(
      `The time line in ${directory} ends before there was a verdict.`,
      `Judge its last moment with kubectl strata --from ${directory}.`,
      EXIT.inconclusive,
    );
  return done.report;
}

/** What was asked when it was recorded; a recording travels, and may come back changed. */
function optionsIn(asked: unknown, directory: string): GateOptions {
  const options = asked as Partial<GateOptions> | null;
  const isList = (value: unknown): boolean => Array.isArray(value);
  if (
    !options ||
    typeof options !== 'object' ||
    !isList(options.targets) ||
    !isList(options.scope?.namespaces) ||
    !isList(options.expect?.images) ||
    typeof options.soak !== 'number'
  ) {
    throw new UserError(`The time line in ${directory} does not say what was waited for.`, 'Copy the folder whole.');
  }
  return options as GateOptions;
}

/** `13:20:31 orders/web: ...`. */
const lineOf = ({ at, target, text }: GateChange): string => `${at.slice(11, 19)} ${target ? `${visible(target)}: ` : ''}${visible(text)}`;
