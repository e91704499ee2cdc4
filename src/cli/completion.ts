import { UserError } from '../model/errors.ts';
import { print } from './terminal.ts';

// Each asks the program itself, with the words so far; the last line of its answer (`:4`) is for kubectl.
const SCRIPTS: Record<string, string> = {
  bash: `_kubectl_strata() {
  local IFS=$'\\n'
  COMPREPLY=($(kubectl-strata __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | sed '/^:/d; s/\\t.*//'))
  [[ \${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
complete -o default -F _kubectl_strata kubectl-strata
`,
  zsh: `#compdef kubectl-strata
_kubectl_strata() {
  local -a answers
  answers=("\${(@f)$(kubectl-strata __complete "\${(@)words[2,CURRENT]}" 2>/dev/null | sed '/^:/d; s/:/\\\\:/g; s/\\t/:/')}")
  _describe 'kubectl strata' answers
}
compdef _kubectl_strata kubectl-strata
`,
  fish: `complete -c kubectl-strata -f -a '(kubectl-strata __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ":*")'
`,
};

/** `completion SHELL`: a script to be sourced. \`kubectl strata\` itself is completed through kubectl_complete-strata on the PATH. */
export async function completion(shell: string): Promise<number> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!script) throw new UserError(`There is no completion for "${shell}".`, `Shells: ${Object.keys(SCRIPTS).join(', ')}.`);
  await print(script);
  return 0;
}
