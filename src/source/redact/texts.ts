import { isHarmlessValue, isReference, isSaidName, isSecretName } from './names.ts';
import { inSentences, looksSecret } from './sentences.ts';

/** Takes secrets out of texts; `mark` gives what stands in a value's place. */
export interface Texts {
  /** Of an argument, a variable, a field: what a program is given. */
  given(text: string): string;
  /** Of a message: what programs and people wrote. Rules read it too, so less is taken for a secret. */
  said(text: string): string;
  /** Of a command or its arguments, in place. `command`: what is run, where the arguments do not tell. */
  words(list: unknown, command?: unknown): void;
}

// What says by itself that it is a secret: JWTs, private keys, and the prefixes that issuers give their tokens so that they are found.
const ISSUED = new RegExp(
  [
    String.raw`(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*`,
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    String.raw`\bgh[pousr]_\w{20,}`,
    String.raw`\bgithub_pat_\w{20,}`,
    String.raw`\bglpat-[\w-]{16,}`,
    String.raw`\bxox[abpors]-[\w-]{10,}`,
    String.raw`\b[sr]k_(?:live|test)_\w{10,}`,
    String.raw`\bAIza[\w-]{30,}`,
    String.raw`\bhv[sb]\.[\w-]{20,}`,
    String.raw`\bdckr_pat_[\w-]{20,}`,
    String.raw`\bnpm_\w{30,}`,
    String.raw`\bSG\.[\w-]{16,}\.[\w-]{16,}`,
    String.raw`\bAGE-SECRET-KEY-1\w{20,}`,
    String.raw`\bsk-(?:proj|ant|svcacct|or)-[\w-]{20,}|\bsk-[A-Za-z0-9]{40,}`,
    String.raw`\bdo[oprt]_v1_[0-9a-f]{40,}`,
    String.raw`\bshp(?:at|ca|pa|ss)_[0-9a-f]{32,}`,
    String.raw`\bpypi-[\w-]{40,}`,
    String.raw`\bgls[ac]_\w{32,}`,
    String.raw`\bhf_[A-Za-z0-9]{30,}`,
    // Whoever knows the address may write there.
    String.raw`(?<=hooks\.slack\.com/(?:services|workflows|triggers)/)[\w/]{20,}`,
    String.raw`(?<=discord(?:app)?\.com/api/webhooks/\d{5,25}/)[\w-]{20,}`,
    String.raw`(?<=api\.telegram\.org/bot)\d{5,15}:[\w-]{20,}`,
  ].join('|'),
  'g',
);
const IS_ISSUED =
  /eyJ|PRIVATE KEY|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|k_live_|k_test_|AIza|hv[sb]\.|dckr_pat_|npm_|SG\.|AGE-SECRET|sk-|_v1_|shp|pypi-|gls[ac]_|hf_|\.slack\.com|\/webhooks\/|telegram/;
const IN_URL = /(:\/\/[^/\s:@"']*:)([^/\s"'`]+)(@)(?!sha256:)/g;
// Go's database/sql form of MySQL: user:password@tcp(host:3306)/name.
const IN_DSN = /(\b[\w.-]+:)([^\s@/:"'<]+)(@(?:tcp|udp|unix)\()/g;
const HEADER =
  /\b((?:proxy-)?authorization|x-[\w-]{0,40}(?:key|token)|(?:set-)?cookie)(["']?\s*[:=]\s*["']?)((?:(?:basic|bearer|token|digest|apikey)\s+)?(?:<redacted [0-9a-f]{12} \d+>|[^\s"'<]+))/gi;
const BEARER = /\b(bearer|basic)(\s+)((?=[\w.~+/-]*\d)[\w.~+/-]{12,}=*)/gi;

const MARKED = String.raw`<redacted [0-9a-f]{12} \d+>`;
const VALUE = String.raw`${MARKED}|"(?:[^"\\]|\\.){0,8192}"|'[^']{0,8192}'|(?:[^\s"';|&,]|,(?![\w.-]+=))+`;
const FLAG = new RegExp(String.raw`(?<![\w-])(--?[A-Za-z][\w.-]*)(=|\s+(?!-))(${VALUE})`, 'g');
// In YAML the value may stand on the next line; what stands there in `db:\n  password: x` is a name again.
const ASSIGNED = new RegExp(String.raw`(?<![\w.$-])([A-Za-z_][\w.-]*)(\s*=(?!=)\s*|:\s+(?:[|>][+-]?\s+)?(?![\w.-]+:(?:\s|$)))(${VALUE})`, 'g');
const SAID = new RegExp(String.raw`(?<![\w.-])([\w.-]+)(=)(${MARKED}|"[^"]*"|'[^']*'|[^\s"';|&),]+)`, 'g');
const SAID_PASSWORD = new RegExp(
  String.raw`(?<![\w.-]|\betc/)([\w.-]*(?:passw(?:or)?d|passphrase|pwd))("?:\s*)(${MARKED}|"[^"]+"|'[^']+'|[^\s"';|&),]{4,})`,
  'gi',
);
// Within a string of JSON the quotes are escaped, once for each level.
const IN_JSON = /"([\w.-]+)"(\s*:\s*)"((?:[^"\\]|\\.){0,8192})"/g;
const IN_ESCAPED_JSON = /(\\{1,7}")([\w.-]+)\1(\s*:\s*)\1((?:(?!\1)[\s\S]){0,8192})\1/g;
// `password 'x'`; without quotes only what no object can be called.
const SAID_BARE = /\b([Pp]assw(?:or)?ds?|PASSWORD|[Pp]assphrase)(\s+)("[^"]{4,}"|'[^']{4,}'|(?=[^\s<]{0,100}\d)(?=[^\s<]{0,100}[A-Z])[^\s"'<;|&),]{8,})/g;
const SAID_KEY =
  /(?<![\w.-])([\w.-]{0,60}(?:(?:api|access|private|secret)[-_]?key|client[-_]?secret))("?:\s*)("[^"]+"|'[^']+'|(?=[^\s<]{0,100}\d)[^\s"';|&),<]{8,})/gi;
const SAID_TOKEN = /(?<![\w.-])([\w.-]{0,60}(?:token|secret))("?:\s*)((?=\w{0,100}\d)[\w+=]{16,}(?![\w./-]))/gi;
/** `password: incorrect` is a sentence, not a password. */
const WORD =
  /^(?:is|was|not|no|none|null|empty|missing|invalid|incorrect|wrong|required|expired|unknown|unset|must|cannot|could|failed|failure|error|authentication|authenticat\w+|secret|secrets|key|from|for|the|does|with|pod|container|permission|denied)\b/i;
// Programs that take a password behind a flag of one letter: glued to it, or as the next word.
const SHORT_FLAG = /^(?:.*\/)?(mysql\w*|mariadb\w*|mongo\w*|sshpass|redis-cli|curl|wget|ldap\w+)$/;
const USER = /^(?:-u|--?user(?:name)?)(?:=|$)/;
const IN_SHELL = [
  String.raw`(\s(?:-u|--?user(?:name)?)[\s=]{1,20}[^\s|;&]{1,200}\s{1,20}-p\s{1,20})(["']?)(?![\d:./-]+(?:\s|$)|[-./~]|[^\s:]{1,200}:\d)`,
  String.raw`\b((?:mysql|mariadb|sshpass)\w*\b[^|;&\n]{0,500}?\s-p)()`,
  String.raw`\b((?:mongo\w*|sshpass)\b[^|;&\n]{0,500}?\s-p\s+)(["']?)`,
  String.raw`\b(redis-cli\b[^|;&\n]{0,500}?\s-a\s+|ldap\w{1,20}\b[^|;&\n]{0,500}?\s-w\s+)(["']?)`,
  String.raw`\b((?:curl|wget)\b[^|;&\n]{0,500}?\s(?:-u|--user|-U|--proxy-user)[\s=]{1,20})(["']?[^\s:"']{1,200}:)`,
].map((before) => new RegExp(String.raw`${before}(${MARKED}|[^\s"'|;&]+)`, 'g'));

/** Longer ones are in no manifest but by mistake, and looking through them takes time. */
const MOST_TEXT = 64 * 1024;
// Of what is said, its beginning and its end are kept: most API errors tell the cause last. A secret that the cut goes through is not to be seen
// for one, so on each side more is looked through than is kept; no pattern of a value reaches farther than the margin.
const KEPT = 20 * 1024;
const MARGIN = 10 * 1024;
const MOST_NESTED = 4;

// A part of each name that makes a secret of what is said behind it: HEADER, BEARER, isSaidName, SAID_PASSWORD.
const MAY_BE_SAID = /pass|pwd|secret|token|key|authorization|x-|cookie|bearer|basic/i;

// In a sentence a word may follow `authorization:`.
const looksIssued = (value: string): boolean => /\d/.test(value) && value.length >= 8;
const isMarked = (value: string): boolean => value.startsWith('<redacted ');

/** Takes secrets out of running text by what stands around them; `mark` says what comes in their place. */
export function createTexts(mark: (value: string) => string): Texts {
  const around = (whole: string, before: string, value: string, after: string): string => (isReference(value) ? whole : `${before}${mark(value)}${after}`);
  const urls = (text: string): string => (text.includes('@') ? text.replace(IN_URL, around).replace(IN_DSN, around) : text);
  const issued = (text: string): string => (IS_ISSUED.test(text) ? text.replace(ISSUED, (value) => mark(value)) : text);
  const headers = (text: string, isSecret: (value: string) => boolean): string =>
    text
      .replace(HEADER, (whole, name: string, sign: string, value: string) =>
        isHarmlessValue(value) || isMarked(value) || !isSecret(value) ? whole : `${name}${sign}${mark(value)}`,
      )
      .replace(BEARER, (_, name: string, space: string, value: string) => `${name}${space}${mark(value)}`);
  // The same secret has one digest, in quotes or without.
  const unquoted = (value: string): string => (/^(["'])[\s\S]*\1$/.test(value) ? `${value[0]}${mark(value.slice(1, -1))}${value[0]}` : mark(value));
  const bare = (value: string): string => value.replace(/^["']/, '');
  const json = (text: string, isSecret: (name: string) => boolean): string => {
    if (!/"\s*:/.test(text)) return text;
    const taken = (name: string, value: string): boolean => isSecret(name) && !isHarmlessValue(value);
    return text
      .replace(IN_JSON, (whole, name: string, sign: string, value: string) => (taken(name, value) ? `"${name}"${sign}"${mark(value)}"` : whole))
      .replace(IN_ESCAPED_JSON, (whole, quote: string, name: string, sign: string, value: string) =>
        taken(name, value) ? `${quote}${name}${quote}${sign}${quote}${mark(value)}${quote}` : whole,
      );
  };

  // `JAVA_OPTS=-Dpassword=x`, `sh -c "run --token x"`: what is no secret itself may hold one.
  const assignments = (text: string, depth: number): string => {
    const each = (whole: string, name: string, sign: string, value: string): string => {
      if (isSecretName(name.replace(/^-+/, '')) && !isHarmlessValue(bare(value)) && !/^-(?!----)/.test(value)) return `${name}${sign}${unquoted(value)}`;
      if (isMarked(value) || !/[=:\s]/.test(value)) return whole;
      return `${name}${sign}${depth < MOST_NESTED ? assignments(value, depth + 1) : unquoted(value)}`;
    };
    return text.replace(FLAG, each).replace(ASSIGNED, each);
  };

  const shell = (text: string): string =>
    IN_SHELL.reduce(
      (out, pattern) =>
        out.replace(pattern, (whole, before: string, lead: string, value: string) =>
          isHarmlessValue(value) || isMarked(value) ? whole : `${before}${lead}${mark(value)}`,
        ),
      text,
    );

  const given = (text: string): string => {
    if (text.length > MOST_TEXT) return mark(text);
    let out = issued(urls(text));
    if (/mysql|mariadb|mongo|sshpass|redis-cli|ldap|curl|wget|\s-p\s/.test(out)) out = shell(out);
    return /[=\s"]|[a-z]:\S/i.test(out)
      ? assignments(
          json(
            headers(out, () => true),
            isSecretName,
          ),
          0,
        )
      : out;
  };

  const said = (text: string): string => {
    if (text.length > MOST_TEXT) {
      // One word from the margin's one end to the other may be a single value.
      const parted = [text.slice(KEPT, KEPT + MARGIN), text.slice(-KEPT - MARGIN, -KEPT)].every((margin) => /\s/.test(margin));
      if (!parted) return mark(text);
      const ends = [said(text.slice(0, KEPT + MARGIN)).slice(0, KEPT), said(text.slice(-KEPT - MARGIN)).slice(-KEPT)];
      return ends.join(` ${mark(text.slice(KEPT, -KEPT))} `);
    }
    const out = issued(urls(text));
    if (!MAY_BE_SAID.test(out)) return out;
    const taken = (value: string): boolean => !isHarmlessValue(bare(value)) && !WORD.test(bare(value));
    const behind = (whole: string, name: string, sign: string, value: string): string => (taken(value) ? `${name}${sign}${unquoted(value)}` : whole);
    if (!/[=:]/.test(out)) return inSentences((/bearer|basic/i.test(out) ? headers(out, looksIssued) : out).replace(SAID_BARE, behind), mark);
    const signed = json(headers(out, looksIssued), isSaidName)
      .replace(SAID, (whole, name: string, sign: string, value: string) =>
        isSaidName(name) && !isHarmlessValue(bare(value)) ? `${name}${sign}${unquoted(value)}` : whole,
      )
      .replace(SAID_PASSWORD, behind)
      .replace(SAID_KEY, behind)
      .replace(SAID_TOKEN, behind)
      .replace(SAID_BARE, behind);
    return inSentences(signed, mark);
  };

  const words = (list: unknown, command: unknown = list): void => {
    if (!Array.isArray(list)) return;
    const [first] = Array.isArray(command) ? (command as unknown[]) : [];
    const program = typeof first === 'string' ? (SHORT_FLAG.exec(first)?.[1] ?? '') : '';
    const hasUser = list.some((each) => typeof each === 'string' && USER.test(each));
    for (let i = 0; i < list.length; i++) {
      const word: unknown = list[i];
      if (typeof word !== 'string') continue;
      const before: unknown = list[i - 1];
      const isValue =
        typeof before === 'string' &&
        /^--?[A-Za-z]/.test(before) &&
        !before.includes('=') &&
        isSecretName(before.replace(/^-+/, '')) &&
        !/^-(?!----)/.test(word);
      // Alone `-p` is a port, a path, a project; beside a user it is a password.
      const isGuessed =
        before === '-p' && (hasUser ? !/^[\d:./-]*$|^[-./~$]|:\d+$/.test(word) && !isHarmlessValue(word) : program === '' && looksSecret(word, 8));
      if ((isValue && !isHarmlessValue(word)) || isGuessed) list[i] = mark(word);
      else {
        const out = program === '' ? given(word) : given(shortFlag(program, word, before));
        if (out !== word) list[i] = out;
      }
    }
  };

  const shortFlag = (program: string, word: string, before: unknown): string => {
    if (/^(?:mysql|mariadb|sshpass)/.test(program) && /^-p./.test(word)) return `-p${mark(word.slice(2))}`;
    if (
      (/^(?:mongo|sshpass)/.test(program) && before === '-p') ||
      (program === 'redis-cli' && before === '-a') ||
      (program.startsWith('ldap') && before === '-w')
    )
      return isHarmlessValue(word) ? word : mark(word);
    if (/^(?:-u|--user|-U|--proxy-user)$/.test(String(before)))
      return word.replace(/^([^:]+:)(.+)$/, (whole, user: string, value: string) => (isReference(value) ? whole : `${user}${mark(value)}`));
    return word.replace(/^(--(?:proxy-)?user=[^:]+:)(.+)$/, (whole, user: string, value: string) => (isReference(value) ? whole : `${user}${mark(value)}`));
  };

  return { given, said, words };
}
