/**
 * Texts of which one is in whatever matches the expression: the longest of each alternative that stands outside of groups and classes;
 * empty where nothing is certain. Looking for them is cheap: V8 compiles an expression when it is first run, and most rows of a table
 * never match anything.
 */
export function needlesOf({ source, flags }: RegExp): readonly string[] {
  if (flags.includes('i')) return [];
  const needles: string[] = [];
  let best = '';
  let run = '';
  let depth = 0;
  const end = (kept = run): void => {
    if (kept.length > best.length) best = kept;
    run = '';
  };
  for (let i = 0; i < source.length; i += 1) {
    const char = source[i] as string;
    if (char === '\\') {
      i += 1;
      const escaped = source[i] ?? '';
      // What follows these belongs to them: `\u2026`, `\k<name>`.
      if (/[ckpPux1-9]/.test(escaped)) return [];
      if (/\w/.test(escaped)) end();
      else if (depth === 0) run += escaped;
    } else if (char === '[') {
      end();
      for (i += 1; i < source.length && source[i] !== ']'; i += 1) if (source[i] === '\\') i += 1;
    } else if (char === '(') {
      end();
      depth += 1;
    } else if (char === ')') depth -= 1;
    else if (char === '|' && depth === 0) {
      end();
      needles.push(best);
      best = '';
    } else if (char === '?' || char === '*') end(run.slice(0, -1));
    else if (char === '{') {
      end(run.slice(0, -1));
      i = source.indexOf('}', i);
      if (i < 0) return [];
    } else if (char === '+' || char === '.' || char === '^' || char === '$') end();
    else if (depth === 0) run += char;
  }
  end();
  needles.push(best);
  return needles.includes('') ? [] : needles;
}
