import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { recordArgument } from '../../program/prompts/equivalent-command.ts'
import { loadPaint } from '../../program/terminal/color.ts'
import { safeLine } from '../../program/terminal/safe-text.ts'

/** Names of those who speak, by their role. */
const speakers: Readonly<Record<string, string>> = { user: 'Customer', assistant: 'Assistant' }

/** Returns the name of a role for people. Exports in Markdown, which users keep, have the names, too. */
export const nameOfRole = (role: string): string => speakers[role] ?? role

/** Characters of a message that are shown before and after a match. */
const around = 60

/** Returns the part of a message around the first match, and the start of the match in it. */
function excerpt(content: string, at: number, length: number): { readonly text: string; readonly at: number } {
  const [from, to] = [Math.max(0, at - around), at + length + around]
  const start = from > 0 ? '…' : ''
  return {
    text: `${start}${content.slice(from, to)}${to < content.length ? '…' : ''}`,
    at: start.length + at - from,
  }
}

/** Returns where a text occurs, regardless of case; -1 if it does not. */
export const positionOf = (content: string, text: string): number => content.toLowerCase().indexOf(text.toLowerCase())

/** Returns the text to find; prompts for it on a terminal. @throws ClientFailure `usage` elsewhere */
export async function requireText(context: Context, given: string): Promise<string> {
  if (given !== '') return given
  if (!context.interactive) throw usageError('Missing text. Pass the text to find.')
  const prompts = await context.prompts()
  const text = (
    await prompts.input('Text to find:', { validate: (value) => value.trim() !== '' || 'Enter a text.' })
  ).trim()
  recordArgument(context, text)
  return text
}

/** Prints the matching messages of one conversation or call, with the match highlighted. `title` and `about` are its headline. */
export async function printMatches(
  { out, system }: Context,
  { title, about }: { readonly title: string; readonly about: string },
  rows: readonly { readonly role: string; readonly content: string }[],
  text: string,
): Promise<void> {
  const paint = await loadPaint(out.settings.color)
  const lines = rows.map(({ role, content }) => {
    // The text of a match may have another length in lower case, so that its position is that of the cleaned line.
    const line = safeLine(content)
    const at = positionOf(line, text)
    const who = `${safeLine(nameOfRole(role))}: `
    if (at < 0) return `  ${who}${line.slice(0, 2 * around)}`
    const part = excerpt(line, at, text.length)
    const end = part.at + text.length
    return `  ${who}${part.text.slice(0, part.at)}${paint.yellow(paint.bold(part.text.slice(part.at, end)))}${part.text.slice(end)}`
  })
  await system.streams.stdout.write(`${paint.bold(safeLine(title))}  ${safeLine(about)}\n${lines.join('\n')}\n`)
}
