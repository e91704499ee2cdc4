/** A rule that holds becomes a finding: its words filled in, its evidence and objects collected, its holes marked. */
import { subjectOf } from '../facts/address.ts';
import { headline } from '../facts/headline.ts';
import type { Finding } from '../model/finding.ts';
import type { KubeObject } from '../model/kinds.ts';
import { CAPABILITIES, CERTAINTIES, type Capability, LAYERS, PERMANENCES, type Stage } from '../model/layer.ts';
import type { Gap } from '../model/read.ts';
import type { CompiledRule } from './compile.ts';
import type { Hit } from './evaluate.ts';
import { createFiller } from './fill.ts';

export function fire(compiled: CompiledRule, object: KubeObject, stage: Stage, context: object, hinted: Gap[]): Hit {
  const { rule } = compiled;
  const filler = createFiller(compiled, context);
  const { words, member } = filler;
  const layer = member('layer', LAYERS);
  const title = headline(words('heading'));
  const since = rule.since ? words('since') : '';
  const about = filler.objects(compiled.about);
  const on = subjectOf(object);
  // What nobody asked for hides no more than what nobody thought of.
  const refused = (): number => [...filler.unread, ...hinted].filter((gap) => gap.reason !== 'not-collected').length;
  const refusedBefore = refused();
  const lacks = words('lacks', '');
  const of = lacks ? filler.objects(compiled.of) : [];
  // Its cause may hide where nothing could be read.
  const blind = refused() > refusedBefore;
  const permanence = words('permanence', '');
  const certainty = member('certainty', CERTAINTIES);
  const finding: Finding = {
    id: '',
    rule: rule.id,
    layer,
    stage,
    role: rule.role,
    certainty: blind && certainty === 'proven' ? 'likely' : certainty,
    permanence: permanence === '' ? 'corroborated' : member('permanence', PERMANENCES),
    ...(since ? { since } : {}),
    on,
    subjects: about.length > 0 ? about.map(subjectOf) : [on],
    title,
    expected: words('expected'),
    actual: words('actual'),
    conclusion: words('conclusion'),
    evidence: filler.evidence(),
    effects: [],
    // What stands in no namespace is asked for without one.
    next: unlike(
      compiled.next.map((template) =>
        named(
          filler
            .fill(template())
            .replace(/ -n {2}/g, ' ')
            .trim(),
          object,
        ),
      ),
    ),
    chain: [],
    layers: {},
    unread: [],
    breaks: compiled.breaks.map((template) => filler.fill(template()).trim()).filter(isCapability),
    ...(lacks ? { lacks: member('lacks', CAPABILITIES) } : {}),
  };
  const same = filler.same();
  finding.unread = distinct([...filler.unread, ...hinted]);
  return { finding, object, about: about.length > 0 ? about : [object], of, same };
}

const isCapability = (word: string): word is Capability => (CAPABILITIES as readonly string[]).includes(word);

/** Text rows name `{ns} {name} {node} {kind}` without knowing the object; a line whose name is missing is dropped. */
function named(line: string, object: KubeObject): string {
  const node = (object['spec'] as { nodeName?: unknown } | undefined)?.nodeName;
  const { namespace: ns, name } = object.metadata;
  const names: Record<string, unknown> = { ns, name, node: object.kind === 'Node' ? name : node, kind: object.kind };
  let whole = true;
  const filled = line.replace(/\{(ns|name|node|kind)\}/g, (_match, key: string) => {
    if (typeof names[key] === 'string') return names[key];
    whole = false;
    return '';
  });
  return whole ? filled : '';
}

/** Lines that are not the same: kubectl takes `Pod` and `pod` for one. */
const unlike = (lines: readonly string[]): string[] =>
  lines.filter((line, index) => line !== '' && lines.findIndex((other) => other.toLowerCase() === line.toLowerCase()) === index);

function distinct(gaps: Gap[]): Gap[] {
  const seen = new Map(gaps.map((gap) => [`${gap.reason}|${gap.kind}|${gap.namespace ?? ''}|${gap.name ?? ''}`, gap]));
  return [...seen.values()];
}
