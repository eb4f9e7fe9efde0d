import { type Command, riskOf } from './command.ts'
import { fieldFlags } from './options.ts'
import { createParser } from './program.ts'
import { helpWidth, rows, wrap } from './text.ts'

const consentWords: Readonly<Record<string, string>> = {
  destructive: 'Cannot be undone: asks on a terminal, needs --yes elsewhere (exit 10 without).',
  severe: 'Touches what is live: asks for a name on a terminal, needs --confirm <name> elsewhere (exit 10 without).',
  outside: 'Acts on the outside world: asks on a terminal, needs --confirm-side-effects elsewhere (exit 10 without).',
  spends: 'Spends money: shows the price and asks on a terminal, needs --yes elsewhere (exit 10 without).',
}

/** Help of one command, from what the command declares. */
export function commandHelp(words: string, it: Command, columns = 0): string {
  const width = helpWidth(columns)
  const parser = createParser(words, it)
  const options = parser.options.filter((option) => !option.hidden)
  const argument = it.argument ? ` ${it.argument.optional === false ? `<${it.argument.name}>` : `[${it.argument.name}]`}` : ''
  const parts = [it.summary ?? it.endpoint?.summary ?? '', `Usage: parley ${words}${argument}${options.length > 0 ? ' [flags]' : ''}`]
  if (it.argument) parts.push(`Argument:\n${rows([[it.argument.name, it.argument.describe]], width)}`)
  if (options.length > 0)
    parts.push(
      `Flags:\n${rows(
        options.map((option) => [option.flags, describe(it, option)]),
        width,
      )}`,
    )
  const consent = consentWords[riskOf(it)]
  if (it.notes)
    parts.push(
      it.notes
        .split('\n')
        .map((line) => wrap(line, width, ''))
        .join('\n'),
    )
  if (consent) parts.push(wrap(consent, width, ''))
  if (it.endpoint?.assumed && it.endpoint.auth !== 'control')
    parts.push(wrap(`The specification names this call and does not describe it; assumed from ${it.endpoint.assumed}.`, width, ''))
  parts.push(`Examples:\n${it.examples.map((example) => `  parley ${words} ${example}`.trimEnd()).join('\n')}`)
  parts.push('Global flags: parley help flags')
  return `${parts.join('\n\n')}\n`
}

function describe(it: Command, option: { readonly flags: string; readonly description: string; readonly argChoices?: string[] | undefined }): string {
  const field = fieldFlags(it).find((flag) => flag.flags === option.flags)
  const choices = field?.choices ?? option.argChoices
  const extras = [choices && `one of: ${choices.join(', ')}`, field?.default !== undefined && `default: ${field.default}`].filter(Boolean)
  return `${option.description}${extras.length > 0 ? ` (${extras.join('; ')})` : ''}`
}
