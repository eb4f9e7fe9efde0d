import { command } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { selectIfMissing } from '../../program/prompts/prompt-if-missing.ts'
import { detectShell, installCompletion, uninstallCompletion } from './install-completion.ts'
import { completionScripts } from './shell-scripts.ts'

export const completion = command({
  summary: 'Print or install shell completion',
  argument: {
    name: 'shell',
    describe: 'bash, zsh, fish or powershell (default with --install: your shell)',
    optional: true,
  },
  flags: [
    { flags: '--install', describe: 'Install the script and load it from the start-up file of the shell' },
    { flags: '--uninstall', describe: 'Remove the script and its lines in the start-up file' },
  ],
  examples: [
    'bash --install',
    'zsh > ~/.zfunc/_parley',
    'fish > ~/.config/fish/completions/parley.fish',
    'powershell >> $PROFILE',
  ],
  notes:
    'Completes commands, flags and their values. Ids and names come from the last list that you printed; a list that you never printed is read once, within 3 seconds.\n--install writes a marked block to ~/.bashrc or ~/.zshrc; fish needs none. The PowerShell script is only printed, and is not tested.',
  async run(context, { argument: given, flags }) {
    const shells = Object.keys(completionScripts)
    const isKnown = (name: string | undefined): name is keyof typeof completionScripts =>
      name !== undefined && Object.hasOwn(completionScripts, name)
    if (given !== undefined && !isKnown(given))
      throw usageError(`Unknown shell "${given}".`, `Shells: ${shells.join(', ')}.`)
    if (flags.install && flags.uninstall) throw usageError('--install and --uninstall cannot be combined.')
    if (flags.install || flags.uninstall) return changeInstallation(context, given, flags.uninstall === true)
    const hint = `Use one of ${shells.join(', ')}, or install it for your shell: parley completion --install.`
    const shell = await selectIfMissing(context, given, shells, {
      question: 'Which shell?',
      missingMessage: 'Missing shell.',
      hint,
    })
    await context.system.streams.stdout.write(completionScripts[shell as Shell])
  },
})

type Shell = keyof typeof import('./shell-scripts.ts').completionScripts

async function changeInstallation(
  { system, globals, out, notes }: Context,
  given: Shell | undefined,
  isRemoval: boolean,
): Promise<void> {
  const shell = given ?? detectShell(system)
  if (shell === undefined)
    throw usageError(
      'Missing shell. The environment variable SHELL names no supported shell.',
      'Pass the shell: parley completion bash --install.',
    )
  const isDry = globals.dryRun === true
  const steps = isRemoval ? uninstallCompletion(system, shell, isDry) : installCompletion(system, shell, isDry)
  if (!steps)
    throw usageError(
      `Completion for ${shell} cannot be installed automatically.`,
      `Add the script to its start-up file: parley completion ${shell} >> $PROFILE.`,
    )
  for (const { file, done } of steps)
    await out.line(`${file}: ${isDry && done !== 'unchanged' ? 'would be ' : ''}${done}`)
  if (isDry) await notes.note('Dry run. Nothing was changed.')
  else if (!isRemoval && steps.some(({ done }) => done !== 'unchanged'))
    await notes.note('Start a new shell to use it.')
}
