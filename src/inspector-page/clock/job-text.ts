import { words } from '../data/values.ts'

/** What jobs of each kind do. `#` is replaced with the resource. */
const texts: Readonly<Record<string, string>> = {
  subscription: 'Renewal of #',
  release: 'Release of number #',
  'senders.sync': 'Regular check of senders',
  'templates.sync': 'Regular check of templates',
  'conversation.silence': 'End of conversation # after silence',
  'conversation.answer': 'Reply in conversation #',
  'conversation.read': 'Extraction from conversation #',
  'campaign.turn': 'Next leads of campaign #',
  'campaign.fallback': 'Fallback message to lead #',
  'campaign.removal': 'Deletion of campaign #',
  'automation.schedule': 'Scheduled run of automation #',
  'automation.poll': 'Poll of automation #',
  'automation.run': 'Run #',
}

/** Returns what a job does, in words: `Renewal of +14155550142, 1.15 USD`. */
export function jobText({
  kind,
  subject,
  text,
}: {
  readonly kind: string
  readonly subject: string
  readonly text?: string | null
}): string {
  const known = texts[kind]
  if (known !== undefined) return known.replace('#', () => text ?? subject)
  const name = words(kind.replaceAll('.', ' '))
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${text ?? subject}`
}
