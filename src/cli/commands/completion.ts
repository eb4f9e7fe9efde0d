import { command } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { selectIfMissing } from '../prompts/prompt-if-missing.ts'

export const completion = command({
  summary: 'Print the completion script of a shell, or install it',
  argument: {
    name: 'shell',
    describe: 'bash, zsh, fish or powershell; with --install your own unless given',
    optional: true,
  },
  flags: [
    { flags: '--install', describe: 'Put the script where the shell finds it, and load it from its start-up file' },
    { flags: '--uninstall', describe: 'Take away what --install put there' },
  ],
  examples: [
    'bash --install',
    'zsh > ~/.zfunc/_parley',
    'fish > ~/.config/fish/completions/parley.fish',
    'powershell >> $PROFILE',
  ],
  notes:
    'Words, flags and their choices come from the program. Ids and names come from what was listed last; what was never listed is listed once, within 3 seconds.\n--install writes a marked block into ~/.bashrc or ~/.zshrc; fish needs none. The script for PowerShell is only printed, and is not tested.',
  async run(context, { argument: given, flags }) {
    const { completionScripts } = await import('../completion/shell-scripts.ts')
    const shells = Object.keys(completionScripts)
    const isKnown = (name: string | undefined): name is keyof typeof completionScripts =>
      name !== undefined && Object.hasOwn(completionScripts, name)
    if (given !== undefined && !isKnown(given))
      throw usageError(`There is no completion for "${given}".`, `Shells: ${shells.join(', ')}.`)
    if (flags.install && flags.uninstall) throw usageError('--install and --uninstall exclude each other.')
    if (flags.install || flags.uninstall) return changeInstallation(context, given, flags.uninstall === true)
    const hint = `Give one of ${shells.join(', ')}; or install it for your own: parley completion --install.`
    const shell = await selectIfMissing(context, given, shells, {
      question: 'Which shell?',
      missingMessage: 'Which shell?',
      hint,
    })
    await context.world.streams.stdout.write(completionScripts[shell as Shell])
  },
})

type Shell = keyof typeof import('../completion/shell-scripts.ts').completionScripts

async function changeInstallation(
  { world, globals, out, notes }: Context,
  given: Shell | undefined,
  isRemoval: boolean,
): Promise<void> {
  const { installCompletion, detectShell, uninstallCompletion } = await import('../completion/install-completion.ts')
  const shell = given ?? detectShell(world)
  if (shell === undefined)
    throw usageError(
      'Which shell? SHELL does not tell one there is a script for.',
      'Give it: parley completion bash --install.',
    )
  const isDry = globals.dryRun === true
  const steps = isRemoval ? uninstallCompletion(world, shell, isDry) : installCompletion(world, shell, isDry)
  if (!steps)
    throw usageError(
      `Only ${shell} knows where its start-up file is.`,
      `Add the script to it: parley completion ${shell} >> $PROFILE.`,
    )
  for (const { file, done } of steps) await out.line(`${file}: ${done}`)
  if (isDry) await notes.note('Nothing was changed: this was a dry run.')
  else if (!isRemoval && steps.some(({ done }) => done !== 'unchanged'))
    await notes.note('Begin a new shell to use it.')
}
