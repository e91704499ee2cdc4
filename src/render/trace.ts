import { duration } from '../facts/time.ts';
import type { TraceNode, TraceStep } from '../model/trace.ts';
import { visible } from './escape.ts';
import type { Style } from './index.ts';
import { paints } from './paint.ts';
import { GLUE, columns, wrap } from './wrap.ts';

const WORDS: Record<string, string> = { sandbox: 'sandbox and network', initialized: 'init containers through', image: 'image pulled', endpoint: 'endpoint' };
const LEFT = 4;

/** The tree of what an object made, each pod with the seconds at which it took each step. */
export function renderTrace(roots: readonly TraceNode[], { color, width }: Style): string {
  const paint = paints(color);
  const lines = (node: TraceNode, depth: number): string[] => {
    const margin = '  '.repeat(Math.min(depth, LEFT));
    const name = visible([depth === 0 ? node.namespace : '', `${node.kind}/${node.name}`].filter(Boolean).join('/'));
    const says = [
      depth === 0 && node.uid ? `uid ${node.uid.slice(0, 8)}` : '',
      ...node.says,
      node.kind !== 'Pod' && depth > 0 && node.created ? `created ${node.created}` : '',
    ]
      .filter((word) => word !== '')
      .map(visible);
    const head = `${name}${node.node ? `  on ${visible(node.node)}` : ''}${says.length > 0 ? `  ${says.join(', ')}` : ''}`;
    const steps = node.steps ? wrap(wayOf(node).join(' > '), width - columns(margin) - 4).map((line) => `${margin}    ${line}`) : [];
    const shown = wrap(head, width - columns(margin)).map((line, index) => margin + (index === 0 ? line.replace(name, paint.strong(name)) : `  ${line}`));
    return [...shown, ...steps.map(paint.faint), ...node.made.flatMap((each) => lines(each, depth + 1))];
  };
  return `${roots.map((root) => lines(root, 0).join('\n')).join('\n\n')}\n`;
}

function wayOf({ steps = [], waits }: TraceNode): string[] {
  return [...steps.map(stepInWords), ...(waits ? [`waits for ${word(waits.step)}, ${duration(waits.seconds)} so far`.replaceAll(' ', GLUE)] : [])];
}

const word = (step: string): string => WORDS[step] ?? step;

const stepInWords = ({ step, after, slowest, how }: TraceStep): string =>
  `${after === null ? '' : `${duration(after)} `}${word(step)}${how ? ` (${visible(how)})` : ''}${slowest ? ' (slowest)' : ''}`.replaceAll(' ', GLUE);
