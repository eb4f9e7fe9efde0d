import { type Command, riskOf, usageOf } from './command.ts'
import { type HelpPage, type HelpPart, helpText } from './help-page.ts'
import { fieldFlags } from './options.ts'
import { createParser } from './program.ts'

const consentWords: Readonly<Record<string, string>> = {
  destructive: 'Destructive: asks on a terminal, needs --yes elsewhere (exit 10 without).',
  severe: 'Touches what is live: asks for a name on a terminal, needs --confirm <name> elsewhere (exit 10 without).',
  outside: 'Acts on the outside world: asks on a terminal, needs --confirm-side-effects elsewhere (exit 10 without).',
  spends: 'Spends money: shows the price and asks on a terminal, needs --yes elsewhere (exit 10 without).',
}

/** Help of one command, from what the command declares. */
export const commandHelp = (words: string, it: Command, columns = 0): string => helpText(helpPage(words, it), columns)

/** The same as data, for the table that `--help` is answered from. */
export function helpPage(words: string, it: Command): HelpPage {
  const options = createParser(words, it).options.filter((option) => !option.hidden)
  const argument = it.argument ? ` ${usageOf(it.argument)}` : ''
  const parts: HelpPart[] = [
    { prose: it.summary ?? it.endpoint?.summary ?? '' },
    { lines: `Usage: parley ${words}${argument}${options.length > 0 ? ' [flags]' : ''}` },
  ]
  if (it.argument) parts.push({ title: 'Argument:', rows: [[it.argument.name, it.argument.describe]] })
  if (options.length > 0) parts.push({ title: 'Flags:', rows: options.map((option) => [option.flags, describe(it, option)]) })
  const risk = riskOf(it)
  // Resuming a run and raising an event are asked for by name: nothing is to be confirmed.
  const isAsked = risk !== 'outside' || options.some((option) => option.long === '--confirm-side-effects')
  const consent = isAsked ? consentWords[risk] : undefined
  if (it.notes) parts.push({ prose: it.notes })
  if (consent) parts.push({ prose: consent })
  if (it.endpoint?.assumed && it.endpoint.auth !== 'control')
    parts.push({ prose: `The specification names this call and does not describe it; assumed from ${it.endpoint.assumed}.` })
  parts.push(
    { title: 'Examples:', commands: it.examples.map((example) => `parley ${words} ${example}`.trimEnd()) },
    { lines: 'Global flags: parley help flags' },
  )
  return parts
}

function describe(it: Command, option: { readonly flags: string; readonly description: string; readonly argChoices?: string[] | undefined }): string {
  const field = fieldFlags(it).find((flag) => flag.flags === option.flags)
  const choices = field?.choices ?? option.argChoices
  const extras = [choices && `one of: ${choices.join(', ')}`, field?.default !== undefined && `default: ${field.default}`].filter(Boolean)
  return `${option.description}${extras.length > 0 ? ` (${extras.join('; ')})` : ''}`
}
