import { Command, CommanderError } from 'commander';
import type { Spelling } from './complete.ts';
import type { Flags } from './flags.ts';
import { version } from '../model/version.ts';
import { FORMATS } from '../render/index.ts';

/** A command line that could not be understood; empty where help or the version was asked for and given. */
export class UsageError extends Error {
  readonly command: string;
  constructor(message: string, command = '') {
    super(message);
    this.command = command;
  }
}

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** Of a recording or a dump only this part. */
function narrowed(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'only this namespace (repeatable)', collect)
    .option('-A, --all-namespaces', 'every namespace')
    .option('-l, --selector <labels>', 'only objects with these labels');
}

/** Where to read: the same for every command that reads. */
function reading(command: Command): Command {
  return connecting(
    spaces(command)
      .option('-l, --selector <labels>', 'only objects with these labels')
      .option('--from <path>', 'read a recording or a dump instead of a cluster (repeatable), - for stdin', collect),
  );
}

function spaces(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'namespace to read (repeatable); the one of the context by default', collect)
    .option('-A, --all-namespaces', 'every namespace');
}

function connecting(command: Command): Command {
  return command
    .optionsGroup('Connection, as kubectl takes it:')
    .option('--kubeconfig <file>', 'kubeconfig to use')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--cluster <name>', 'cluster of the kubeconfig')
    .option('--user <name>', 'user of the kubeconfig')
    .option('--as <user>', 'act as this user')
    .option('--as-group <group>', 'act as a member of this group (repeatable)', collect)
    .option('--as-uid <uid>', 'act with this uid')
    .option('--token <token>', 'bearer token')
    .option('-s, --server <url>', 'address of the API server')
    .option('--certificate-authority <file>', 'certificate of the authority that signed the server')
    .option('--insecure-skip-tls-verify', 'do not check the certificate of the server')
    .option('--tls-server-name <name>', 'name to check the certificate for')
    .option('--request-timeout <duration>', 'give up reading after this time, such as 30s');
}

function judging(command: Command): Command {
  return reading(command)
    .optionsGroup('Report:')
    .option('-o, --output <format>', `${FORMATS.join(', ')}; FORMAT=FILE for a file (repeatable)`, collect)
    .option('-v, --verbose', 'everything that is known of each cause')
    .option('--risks', 'also what is fragile but holds nothing back')
    .option('--rules <folder>', 'add rules of your own (repeatable)', collect)
    .option('--no-color', 'no colours (as NO_COLOR)')
    .optionsGroup('Options:');
}

function catalogue(command: Command): Command {
  return command
    .option('--rules <folder>', 'with rules of your own (repeatable)', collect)
    .option('-o, --output <format>', 'text or json', collect)
    .option('--no-color', 'no colours');
}

/** The diagnosis: what the program does without a command. */
function diagnosing(command: Command, done: Done): Command {
  return judging(command)
    .description('Says which layer holds a workload, a namespace or a rollout back, and proves it. Never writes to the cluster.')
    .usage('[TYPE/NAME...] [-n NAMESPACE | -A] [flags]')
    .argument('[target...]', 'NAME or TYPE/NAME; everything in the namespace by default')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .addHelpText(
      'after',
      `\nExit codes: 0 healthy, 1 failed, 2 progressing, 3 inconclusive,\n            4 nothing matched, 5 API unreachable, 64 wrong usage, 70 a bug`,
    )
    .action(async (targets: string[], _flags: Flags, inner: Command) => done((await import('./diagnose.ts')).diagnose(targets, inner.optsWithGlobals())));
}

function spellingOf(command: Command): Spelling {
  return {
    name: command.name(),
    description: command.description(),
    commands: command.commands.filter((inner) => !inner.name().startsWith('_')).map(spellingOf),
    flags: [
      ...command.options.map(({ short, long, required, description }) => ({
        names: [short, long].filter((name) => name !== undefined),
        takes: required,
        description,
      })),
      { names: ['-h', '--help'], takes: false, description: 'print this help' },
    ],
  };
}

/** Takes the exit code of a command that runs. Commands load when they are called. */
type Done = (result: Promise<number>) => Promise<void>;

function sub(parent: Command, name: string, description: string, options: { isDefault?: boolean } = {}): Command {
  return parent
    .command(name, options)
    .description(description)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false);
}

function addGate(program: Command, done: Done): void {
  judging(sub(program, 'gate', 'wait for a rollout, and say what came of it'))
    .argument('[target...]', 'NAME or TYPE/NAME; every workload in the namespace by default')
    .option('-f, --filename <path>', 'what these manifests name (repeatable), - for stdin', collect)
    .option('--for <condition>', 'done when condition=TYPE[=VALUE], jsonpath=PATH[=VALUE] or cel=EXPR holds (repeatable)', collect)
    .option('--fail-for <condition>', 'failed when one of these holds (repeatable)', collect)
    .option('--timeout <duration>', 'end no later than this; by default a deadline is computed')
    .option('--soak <duration>', 'how long everything must hold once it is ready (10s)')
    .option('--expect-image <image>', 'fail unless a target comes to have this image (repeatable)', collect)
    .option('--expect-generation <n>', 'fail unless the targets come to have this generation')
    .option('--expect-change', 'fail unless the targets change after the gate began')
    .option('--watch <bool>', 'false: read everything again at each look (true)')
    .option('--record <folder>', 'keep every look, unless it passes, to be replayed with --from')
    .addHelpText(
      'after',
      '\nExit codes: 0 passed, 1 failed (the cause is named), 2 still moving at the\n            deadline, 3 inconclusive, 4 nothing matched, 5 API unreachable,\n            64 wrong usage, 70 a bug',
    )
    .action(async (targets: string[], _flags: Flags, command: Command) => done((await import('./gate.ts')).gate(targets, command.optsWithGlobals())));
}

/** What makes recordings, and what takes them. */
function addRecordings(program: Command, done: Done): void {
  reading(sub(program, 'record', 'keep what a diagnosis reads, to be judged again without the cluster'))
    .argument('[target...]', 'as for a diagnosis')
    .optionsGroup('Options:')
    .option('-o, --output <folder>', 'where to; a new folder here by default')
    .option('--follow <duration>', 'and every change for so long, for a gate to be judged on')
    .action(async (targets: string[], _flags: Flags, command: Command) => done((await import('./record.ts')).record(targets, command.optsWithGlobals())));
  narrowed(sub(program, 'serve', 'give a recording back as a read-only API server, for kubectl and others'))
    .option('--from <path>', 'recording, bundle or dump (repeatable), - for stdin', collect)
    .option('--port <number>', 'port on 127.0.0.1; any free one by default')
    .option('--at <time>', 'of a recording with a time line the moment: a time, or a duration from its beginning')
    .action(async (_flags: Flags, command: Command) => done((await import('./serve.ts')).serve(command.optsWithGlobals())));
  narrowed(sub(program, 'diff', 'what changed between two recordings: causes and objects'))
    .argument('<before>', 'recording, bundle or dump')
    .argument('<after>', 'the same, later')
    .option('-o, --output <format>', 'text or json', collect)
    .option('--rules <folder>', 'add rules of your own (repeatable)', collect)
    .addHelpText('after', '\nExit codes: 0 nothing changed, 1 something did')
    .action(async (before: string, after: string, _flags: Flags, command: Command) =>
      done((await import('./diff.ts')).diff(before, after, command.optsWithGlobals())),
    );
  narrowed(sub(program, 'minimize', 'the smallest recording with the same verdict and causes'))
    .argument('<path>', 'recording, bundle or dump')
    .option('-o, --output <folder>', 'where to; a new folder')
    .action(async (path: string, _flags: Flags, command: Command) => done((await import('./minimize.ts')).minimize(path, command.optsWithGlobals())));
  narrowed(sub(program, 'redact', 'a recording, bundle or dump without what looks like a secret'))
    .argument('<path>', 'recording, bundle or dump')
    .option('-o, --output <folder>', 'where to; a new folder')
    .action(async (path: string, _flags: Flags, command: Command) => done((await import('./redact.ts')).redact(path, command.optsWithGlobals())));
}

function addRules(program: Command, done: Done): void {
  const rules = sub(program, 'rules', 'the catalogue of rules');
  catalogue(sub(rules, 'list', 'every rule, by layer', { isDefault: true }))
    .argument('[layer]', 'only those of this layer')
    .action(async (layer: string | undefined, _flags: Flags, command: Command) =>
      done((await import('./rules.ts')).listRules(layer, command.optsWithGlobals(), rules.args[0] === 'list')),
    );
  catalogue(sub(rules, 'show', 'one rule, as its file says it'))
    .argument('<id>')
    .action(async (id: string, _flags: Flags, command: Command) => done((await import('./rules.ts')).showRule(id, command.optsWithGlobals())));
  sub(rules, 'test', 'run the tests beside rules of your own')
    .argument('[folder...]', 'folders with NAME.yaml and NAME.test.yaml')
    .option('--rules <folder>', 'the same (repeatable)', collect)
    .option('--no-color', 'no colours')
    .addHelpText('after', '\nExit codes: 0 every test holds, 1 one does not')
    .action(async (folders: string[], _flags: Flags, command: Command) =>
      done((await import('./rules-test.ts')).testRules(folders, command.optsWithGlobals())),
    );
}

/** What asks about one thing: an object's history, one's own rights, a text. */
function addQuestions(program: Command, done: Done): void {
  reading(sub(program, 'trace', 'what an object made, by UID, and how long its pods took for each step'))
    .argument('[target...]', 'TYPE/NAME')
    .optionsGroup('Options:')
    .option('-o, --output <format>', 'text or json', collect)
    .option('--no-color', 'no colours')
    .action(async (targets: string[], _flags: Flags, command: Command) => done((await import('./trace.ts')).traceObjects(targets, command.optsWithGlobals())));
  connecting(spaces(sub(program, 'access', 'what you may read, what each refusal costs, and the smallest roles')))
    .optionsGroup('Options:')
    .option('-o, --output <format>', 'text, json, or yaml for what is missing as roles', collect)
    .option('--whole', 'with -o yaml: everything that a diagnosis may read')
    .option('-v, --verbose', 'name the rules')
    .option('--no-color', 'no colours')
    .addHelpText('after', '\nExit codes: 0 everything may be read, 3 something may not, 5 API unreachable')
    .action(async (_flags: Flags, command: Command) => done((await import('./access.ts')).access(command.optsWithGlobals())));
  sub(program, 'explain', 'which layer wrote an error text, and what it means')
    .argument('[text...]', 'the text; - or nothing for stdin')
    .option('-o, --output <format>', 'text or json', collect)
    .option('--no-color', 'no colours')
    .action(async (words: string[], _flags: Flags, command: Command) => done((await import('./explain.ts')).explain(words, command.optsWithGlobals())));
}

function addCompletion(program: Command, done: Done): void {
  sub(program, 'completion', 'a completion script to be sourced')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => done((await import('./completion.ts')).completion(shell)));
  // As `kubectl version`; an object of that name needs its type.
  program.command('version', { hidden: true }).action(() => void process.stdout.write(`kubectl-strata ${version}\n`));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (words: string[]) => done((await import('./complete.ts')).complete(words, spellingOf(program))));
}

/** Runs one command line; its exit code. Raises UsageError where it cannot be understood. */
export async function run(argv: string[]): Promise<number> {
  let code = 0;
  const done: Done = async (result) => {
    code = await result;
  };
  const program = diagnosing(new Command('kubectl strata'), done)
    .version(`kubectl-strata ${version}`, '--version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .enablePositionalOptions();
  // Spelled out, as some would type it; an object of that name needs its type.
  diagnosing(program.command('diagnose', { hidden: true }), done).helpCommand(false);
  for (const add of [addGate, addRecordings, addQuestions, addRules, addCompletion]) add(program, done);

  const [first, about] = argv;
  if (first === 'help' && about !== undefined && !about.startsWith('-') && !program.commands.some((command) => command.name() === about))
    throw new UsageError(`There is no command "${about}".`);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UsageError(error.exitCode === 0 ? '' : sentence(error.message), program.commands.find((command) => command.name() === argv[0])?.name());
  }
  return code;
}

const sentence = (message: string): string => {
  const [first = ''] = message.replace(/^error: /, '').split('\n');
  return first.charAt(0).toUpperCase() + first.slice(1);
};
