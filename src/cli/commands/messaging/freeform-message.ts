import type { CommandInput, Invocation } from '../../commandline/command.ts'
import { repeatedFlag } from '../../commandline/command.ts'
import { usageError } from '../../errors/usage-error.ts'

/** What belongs to a template message, by its flag and its field. */
const templateFields = {
  '--template': 'template_id',
  '--variables': 'variables',
  '--recipient-name': 'recipient_name',
} as const

/** The content of a message without a template; undefined when none was given, so that a template is meant. @throws ClientFailure `usage` for a mixture */
export function freeformContent({ flags, input }: Pick<Invocation, 'flags' | 'input'>): CommandInput | undefined {
  const content = {
    message: flags.text ?? input.message,
    media_url: flags.mediaUrl ?? input.media_url,
    filename: flags.filename ?? input.filename,
  }
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return undefined
  const mixed = Object.entries(templateFields).flatMap(([flag, field]) => (input[field] === undefined ? [] : [flag]))
  if (flags.template !== undefined) mixed.push('--template')
  if (repeatedFlag(flags, 'var').length > 0) mixed.push('--var')
  if (mixed.length > 0)
    throw usageError(
      `A message is a template or a text, not both: ${mixed.join(', ')} belongs to a template.`,
      'Give --template with --var, or --text, --media-url.',
    )
  if (given.message === undefined && given.media_url === undefined)
    throw usageError('--filename names what --media-url points to: give both.')
  return given
}
