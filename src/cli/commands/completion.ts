import { command } from '../command.ts'
import { usage } from '../usage.ts'

export const completion = command({
  summary: 'Print the completion script of a shell',
  argument: { name: 'shell', describe: 'bash, zsh, fish or powershell', optional: false },
  examples: ['bash >> ~/.bashrc', 'zsh > ~/.zfunc/_parley', 'fish > ~/.config/fish/completions/parley.fish', 'powershell >> $PROFILE'],
  async run(context, { argument = '' }) {
    const { scripts } = await import('../shells.ts')
    const script = Object.hasOwn(scripts, argument) ? scripts[argument as keyof typeof scripts] : undefined
    if (script === undefined) throw usage(`There is no completion for "${argument}".`, `Shells: ${Object.keys(scripts).join(', ')}.`)
    await context.world.streams.stdout.write(script)
  },
})
