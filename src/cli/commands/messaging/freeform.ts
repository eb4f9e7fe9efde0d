import type { Input, Invocation } from '../../command.ts'
import { repeated } from '../../command.ts'
import { usage } from '../../usage.ts'

/** What belongs to a template message, by its flag and its field. */
const ofTemplates = { '--template': 'template_id', '--variables': 'variables', '--recipient-name': 'recipient_name' } as const

/** The content of a message without a template; undefined when none was given, so that a template is meant. @throws ClientFailure `usage` for a mixture */
export function freeformOf({ flags, input }: Pick<Invocation, 'flags' | 'input'>): Input | undefined {
  const content = { message: flags.text ?? input.message, media_url: flags.mediaUrl ?? input.media_url, filename: flags.filename ?? input.filename }
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return undefined
  const mixed = Object.entries(ofTemplates).flatMap(([flag, field]) => (input[field] === undefined ? [] : [flag]))
  if (flags.template !== undefined) mixed.push('--template')
  if (repeated(flags, 'var').length > 0) mixed.push('--var')
  if (mixed.length > 0)
    throw usage(
      `A message is a template or a text, not both: ${mixed.join(', ')} belongs to a template.`,
      'Give --template with --var, or --text, --media-url.',
    )
  if (given.message === undefined && given.media_url === undefined) throw usage('--filename names what --media-url points to: give both.')
  return given
}
