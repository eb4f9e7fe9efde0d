import { findPiece, packageNameOf } from './registry.ts'

const useCode = 'Use a CODE step instead.'
const adviceGroups: readonly (readonly [names: string, advice: string])[] = [
  ['xml number-helper markdown html2md jsonata list-helper array-helper file-helper', useCode],
  ['pdf', 'Use piece-http send_request with a service that reads PDF files instead.'],
  [
    'microsoft-outlook imap sendgrid mailgun resend postmark sendinblue brevo amazon-ses mailjet zoho-mail smtp gmail',
    'Use piece-mail send_email instead.',
  ],
  [
    'google-sheets microsoft-excel-365 microsoft-excel airtable tables baserow nocodb smartsheet',
    'Use piece-spreadsheet instead (insert_row, update_row, delete_row, find_rows), or piece-http send_request with the API of the service.',
  ],
  [
    'twilio whatsapp vonage clicksend messagebird plivo telnyx sinch',
    'Use the actions of @platform/piece-platform instead: sendSms, sendTemplate, sendMessage, makePhoneCall.',
  ],
  [
    'ai openai claude anthropic google-gemini azure-openai mistral-ai groq perplexity-ai deepseek cohere',
    'Use piece-http send_request with the API of the model instead.',
  ],
  [
    'google-calendar microsoft-outlook-calendar cal-com calendly',
    'Use piece-calendar-a or piece-calendar-b instead, or piece-http send_request with the API of the calendar.',
  ],
  ['todos manual-task', 'Use piece-approval (create_approval_links, wait_for_approval) instead.'],
]
const adviceByPiece: ReadonlyMap<string, string> = new Map(
  adviceGroups.flatMap(([names, advice]) => names.split(' ').map((name) => [name, advice] as const)),
)

const shortName = (pieceName: string): string => pieceName.replace(/^@[^/]*\//, '').replace(/^(?:piece|block)-/, '')

/** Returns the title of a piece and its action for messages, such as `piece-slack send_channel_message`. */
export const pieceTitle = (pieceName: unknown, name: unknown): string =>
  [
    typeof pieceName === 'string' && pieceName !== '' ? pieceName.replace(/^@[^/]*\//, '') : 'piece',
    typeof name === 'string' ? name : '',
  ]
    .filter((it) => it !== '')
    .join(' ')

/** Returns an advice to use the piece of the same name, if only the publisher differs. */
function suggestSameName(pieceName: string, kind: 'actions' | 'triggers', name: unknown): string | undefined {
  const short = shortName(pieceName)
  const piece = findPiece(`@engine/piece-${short}`) ?? findPiece(`@platform/piece-${short}`)
  const members = Object.keys(piece?.[kind] ?? {})
  if (!piece || members.length === 0) return undefined
  const known = packageNameOf(piece)
  return members.includes(String(name))
    ? `Use ${known} ${name} instead.`
    : `Use ${known} instead. ${listMembers(known, kind)}`
}

/** Suggests an alternative to an action of an unavailable piece. */
export function suggestForAction(pieceName: string, actionName: unknown): string {
  const name = shortName(pieceName)
  if (/^(?:return_?response|respond)/i.test(String(actionName))) return 'Use piece-webhook return_response instead.'
  return (
    suggestSameName(pieceName, 'actions', actionName) ??
    adviceByPiece.get(name) ??
    'Use piece-http send_request with the API of the service instead.'
  )
}

/** Suggests what to use instead of an action that an available piece does not have. */
export function suggestForMissingAction(pieceName: string, actionName: unknown): string {
  const members = listMembers(pieceName, 'actions')
  if (members === undefined) return suggestForAction(pieceName, actionName)
  const isConnected = Object.values(findPiece(pieceName)?.actions ?? {}).some((it) => it.connection !== undefined)
  const other =
    missingActions[`${shortName(pieceName)} ${String(actionName)}`] ??
    (isConnected ? 'For others, use piece-http send_request with the API of the service.' : undefined)
  return other === undefined ? members : `${members} ${other}`
}

const missingActions: Readonly<Record<string, string>> = {
  'json run_jsonata_query': 'Use run_jq_query or a CODE step instead.',
}

/** Suggests an alternative to a trigger of an unavailable piece. */
export const suggestForTrigger = (pieceName: string, triggerName: unknown): string =>
  suggestSameName(pieceName, 'triggers', triggerName) ??
  (shortName(pieceName) === 'rss'
    ? 'Use piece-schedule instead, with a piece-http send_request step that reads the feed.'
    : shortName(pieceName) === 'forms'
      ? 'Use piece-webhook catch_webhook instead, and send the form to it.'
      : 'Use piece-webhook catch_webhook instead and let the service call it, or use piece-schedule with a step that queries the service.')

/** Lists the actions or triggers of a piece for an error message; undefined if it has none. */
export function listMembers(pieceName: string, kind: 'actions' | 'triggers'): string | undefined {
  const names = Object.keys(findPiece(pieceName)?.[kind] ?? {})
  return names.length > 0 ? `Available: ${names.join(', ')}.` : undefined
}
