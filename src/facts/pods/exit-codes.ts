// Linux signal numbers (signal(7)); a shell and the runtimes report a process ended by signal n as 128 + n.
const SIGNALS: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  10: 'SIGUSR1',
  11: 'SIGSEGV',
  12: 'SIGUSR2',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};

const MEANINGS: Record<number, string> = {
  0: 'ended by itself without an error',
  1: 'ended by itself with a general error',
  2: 'ended by itself with code 2: wrong usage of a command, or a Go panic',
  126: 'the command was found but could not be executed',
  127: 'a command was not found',
  128: 'the runtime could not start the process, or an invalid exit code',
  255: 'ended with code 255: its own, or the runtime lost it',
};

const SIGNAL_MEANINGS: Record<string, string> = {
  SIGABRT: 'aborted itself',
  SIGSEGV: 'accessed memory it does not have',
  SIGBUS: 'accessed memory wrongly',
  SIGILL: 'met an instruction this CPU does not have',
  SIGFPE: 'divided by zero or overflowed',
  SIGKILL: 'was killed without a chance to clean up',
  SIGTERM: 'was asked to end and did',
  SIGINT: 'was interrupted',
  SIGSYS: 'made a system call that is not allowed',
  SIGXCPU: 'used more CPU time than allowed',
  SIGXFSZ: 'wrote a larger file than allowed',
};

// Programs whose codes are an answer. Istio: tools/istio-iptables, constants.ValidationErrorCode; Linkerd: network-validator.
const ANSWERS: Record<string, Record<number, string>> = {
  'istio-validation': { 126: 'the traffic of the pod is not redirected to the mesh (its network plugin did not set the pod up)' },
  'linkerd-network-validator': { 95: 'the traffic of the pod is not redirected to the mesh (its network plugin did not set the pod up)' },
};

/** What the code of a well-known program means, by the name of its container; '' for all others. */
export const answerOf = (container: string, code: number): string => ANSWERS[container]?.[code] ?? '';

export interface ExitMeaning {
  code: number;
  /** Signal number, 0 where it did not end by one. */
  signal: number;
  /** `SIGKILL`, '' where it did not end by a signal. */
  name: string;
  meaning: string;
  /** What a heading may add to the number; '' where the number is the program's own. */
  says: string;
}

/** What an exit code says by itself. 137 says SIGKILL, not who sent it: only `reason: OOMKilled` means out of memory. */
export function exitMeaning(code: number): ExitMeaning {
  const signal = code > 128 && SIGNALS[code - 128] ? code - 128 : 0;
  const name = SIGNALS[signal] ?? '';
  const meaning =
    signal > 0
      ? `ended by ${name} (128 + ${signal})${SIGNAL_MEANINGS[name] ? `: it ${SIGNAL_MEANINGS[name]}` : ''}`
      : (MEANINGS[code] ?? `ended by itself with code ${code}, which is its own`);
  const known =
    signal > 0
      ? [name, SIGNAL_MEANINGS[name] && `it ${SIGNAL_MEANINGS[name]}`].filter(Boolean).join(', ')
      : [126, 127].includes(code)
        ? (MEANINGS[code] ?? '')
        : '';
  return { code, signal, name, meaning, says: known };
}
