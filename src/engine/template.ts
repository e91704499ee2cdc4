import type { Cel, Expression } from './cel.ts';

/** Text with `{expression}` holes. Doubled braces stand for themselves. */
export interface Template {
  source: string;
  parts: (string | { source: string; run: Expression })[];
}

/** A text with `{expressions}` in it, compiled. Raises where a brace is left open or an expression does not compile. */
export function parseTemplate(source: string, cel: Cel): Template {
  const parts: Template['parts'] = [];
  let text = '';
  for (let i = 0; i < source.length; i += 1) {
    const char = source[i];
    if ((char === '{' || char === '}') && source[i + 1] === char) {
      text += char;
      i += 1;
    } else if (char === '{') {
      const end = closing(source, i);
      if (text) parts.push(text);
      text = '';
      const hole = source.slice(i + 1, end);
      parts.push({ source: hole, run: cel.compile(hole) });
      i = end;
    } else {
      text += char;
    }
  }
  if (text) parts.push(text);
  return { source, parts };
}

/** The brace that ends a hole; braces inside CEL strings and map literals do not. */
function closing(source: string, start: number): number {
  let depth = 0;
  let quote = '';
  for (let i = start; i < source.length; i += 1) {
    const char = source[i];
    if (quote) {
      if (char === '\\') i += 1;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '{') depth += 1;
    else if (char === '}' && (depth -= 1) === 0) return i;
  }
  throw new Error(`unclosed { in "${source}"`);
}

/** What a person reads for a value: numbers without noise, nothing for null. */
export function say(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  if (Array.isArray(value)) return value.map(say).filter(Boolean).join(', ');
  if (typeof value === 'object') {
    const { kind, metadata, name } = value as { kind?: unknown; metadata?: { name?: unknown }; name?: unknown };
    if (typeof kind === 'string') return `${kind}/${say(metadata?.name ?? name)}`;
    return JSON.stringify(value);
  }
  return String(value);
}
