/** Secrets in running sentences: `login failed with password hunter2zzz`, `api key 9f8e… is not known`. */

const NAMED = 'passw(?:or)?d|passphrase|passcode|pwd|tokens?|api[-_ ]?key|access[-_ ]?key|(?:client|shared)[-_ ]secret|secret';
// Only a word with a digit or a sign in it is looked at, so that `password` before `token x` does not hide what is behind.
const BEHIND = new RegExp(
  String.raw`(?<!etc/)(?<!(?:unexpected|illegal) )(${NAMED})s?(?![\w-])(["']?[ \t]{0,4}(?::|\b(?:is|was|hash|value|set to|used)\b:?)?[ \t]{1,4})("[^"\n]{4,400}"|'[^'\n]{4,400}'|\x60[^\x60\n]{4,400}\x60|\(?(?=[^\s"'<]{0,200}[\d!#$%^*])[^\s"'<>]{6,})`,
  'gi',
);
const IS_PASSWORD = /^(?:pass|pwd)/i;

// What a word with digits in a sentence mostly is instead: an algorithm or a protocol, a count, a time, an address, a place.
const KNOWN =
  /^(?:scram-|hmac-)?(?:oauth|openid|pbkdf|scrypt|bcrypt|argon|scram|sha|md|base|utf|iso|ascii|rsa?|hs|es|ps|aes|ed|x|v|http|ipv|tls|sslv?|saml|ntlmv|pkcs|rfc|k8s|s3|ec2|win|linux|amd|arm)-?\d[\w.]{0,5}(?:\b|$)/i;
const COUNT =
  /^[-+]?[\d.,:/+%TZ-]*(?:n|u|µ|m|k)?(?:s|m|h|d|w|b|ib|i|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|months?|years?|bits?|bytes?|chars?|characters?|times?|tokens?)?$/i;
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+$/;
const PLACE = /^[./~@]|:\/\/|\.(?:json|ya?ml|toml|txt|pem|key|crt|conf|cfg|env|ini|go|py|js|ts|java|rs|rb|php|c|cc|cpp|sql)(?::\d+)*$|@[\w-]+\.[\w.-]+$/i;
// A DNS name, or one with a namespace before it; a path or an image of lower case; a variable; a call; what has a name of its own.
const NAME = /^(?:[a-z0-9]+(?:[-./:_][a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[\w.$]+\(.*|[\w.-]+=[^=].*)$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const BOOTSTRAP = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

/** Whether a word behind the name of a secret is one: letters with digits or signs among them, and no name that an object, a file or an algorithm has. */
export function looksSecret(word: string, least = 6): boolean {
  if (UUID.test(word) || BOOTSTRAP.test(word)) return true;
  if (word.length < least || KNOWN.test(word) || DURATION.test(word) || PLACE.test(word) || NAME.test(word)) return false;
  if (!/[a-z]/i.test(word) || COUNT.test(word)) return false;
  if (/\d/.test(word)) return !word.includes('/') || (/[A-Z]/.test(word) && /[a-z]/.test(word));
  return /^[\w@-]+[!#$%^*][^/\s]+$/.test(word);
}

const fits = (name: string, word: string): boolean => {
  if (IS_PASSWORD.test(name)) return looksSecret(word) || (/^\d{8,}$/.test(word) && !/^1\d{9}$/.test(word));
  // `token cache01`: what issues tokens makes them longer, and not of one word.
  if (!looksSecret(word, 8) || /^[A-Za-z]{3,}\d{1,2}$/.test(word)) return false;
  // `Secret db1`: no object can be called what holds a capital letter.
  return !/^secret$/i.test(name) || (word.length >= 10 && /[A-Z]/.test(word) && /[a-z]/.test(word) && /^[\w+=/-]+$/.test(word));
};

/** `mark` gives what stands in a secret's place; punctuation around it stays. */
export function inSentences(text: string, mark: (value: string) => string): string {
  return text.replace(BEHIND, (whole, name: string, _between: string, value: string) => {
    const [, open = '', word = '', close = ''] = /^(["'`(]*)([\s\S]*?)(["'`).,;:!?|\]}*]*)$/.exec(value) ?? [];
    // `token: AADSTS700016: ...` is the next error of a chain.
    if (close.startsWith(':') || !fits(name, word)) return whole;
    return whole.slice(0, whole.length - value.length) + open + mark(word) + close;
  });
}
