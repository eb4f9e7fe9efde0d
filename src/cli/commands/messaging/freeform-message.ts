import type { CommandInput, Invocation } from '../../commandline/command.ts'
import { repeatedFlag } from '../../commandline/command.ts'
import { usageError } from '../../errors/usage-error.ts'

/** Fields of a template message by flag. */
const templateFields = {
  '--template': 'template_id',
  '--variables': 'variables',
  '--recipient-name': 'recipient_name',
} as const

/**
 * Returns the content of a message without a template; undefined if none was given. @throws ClientFailure `usage` if
 * mixed with template flags
 */
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
      `Text and media cannot be combined with template flags: ${mixed.join(', ')}.`,
      'Pass --template with --var, or --text and --media-url.',
    )
  if (given.message === undefined && given.media_url === undefined) throw usageError('--filename requires --media-url.')
  return given
}
