const { readFileSync } = require('node:fs');
const module_ = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const file = join(__dirname, '../dist/main.cjs');
const cache = `${file}.cache`;

/** The program as a script, not yet run; `cachedData` as V8 gave it for the same file. */
function compile(cachedData) {
  // ASCII alone (tools/build.ts): a byte a character is all that V8 has to hold and to look through.
  return new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
}

/** Gives the program what Node gives a module of its own; what it exports. */
function run(program) {
  const made = { exports: {} };
  program(made.exports, module_.createRequire(file), made, file, dirname(file));
  return made.exports;
}

/**
 * With what V8 made of it when it was built: compiling it anew takes longer than all else before the first request.
 * V8 takes that from its own version only; for another, Node keeps one of its own, from 22.1 on.
 */
function load() {
  let made;
  try {
    made = readFileSync(cache);
  } catch {
    // Built without.
  }
  const script = made && compile(made);
  if (script && !script.cachedDataRejected) return run(script.runInThisContext());
  module_.enableCompileCache?.();
  return run(require(file).program);
}

/** Runs the command line and ends the process; a handle that is still open holds nothing up. */
exports.start = (words) => load().main(words).then((code) => process.exit(code));
Object.assign(exports, { cache, compile, run });
