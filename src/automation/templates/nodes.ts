import type { Json } from '../definition/node.ts'

const piece = (name: string): string => (name === 'platform' ? '@platform/piece-platform' : `@engine/piece-${name}`)

const starts = (displayName: string, name: string, triggerName: string, input: Json = {}): object => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  displayName,
  settings: { pieceName: piece(name), triggerName, input },
})

export const callEnds = starts('Phone call ended', 'platform', 'phoneCallEnded')
export const callComesIn = starts('Inbound call', 'platform', 'inboundCall')
export const webhook = (displayName: string): object => starts(displayName, 'webhook', 'catch_webhook', { authType: 'none' })
export const everyMinutes = (minutes: string): object => starts('Every few minutes', 'schedule', 'every_x_minutes', { minutes: Number(minutes) })
export const everyDay = (hour: string, timezone: string): object =>
  starts('Every day', 'schedule', 'every_day', { hour_of_the_day: Number(hour), timezone, run_on_weekends: true })
export const booked = starts('Appointment booked', 'calendar-a', 'booking_created')

/** What becomes of a run where a step fails. */
const goesOn = { errorHandlingOptions: { continueOnFailure: { value: true }, retryOnFailure: { value: false } } }

/** A step of a piece. `name` is what other steps call it by. */
export const act = (name: string, displayName: string, of: string, actionName: string, input: Json, more: { readonly goesOn?: true } = {}): object => ({
  name,
  type: 'PIECE',
  displayName,
  settings: { pieceName: piece(of), actionName, input, ...(more.goesOn && goesOn) },
})

export const code = (name: string, displayName: string, source: string, input: Json): object => ({
  name,
  type: 'CODE',
  displayName,
  settings: { sourceCode: { code: source, packageJson: '{}' }, input },
})

const chain = (steps: readonly object[]): object | undefined =>
  steps.reduceRight<object | undefined>((next, it) => ({ ...it, ...(next && { nextAction: next }) }), undefined)

export const branch = (name: string, displayName: string, conditions: readonly object[], yes: readonly object[], no: readonly object[] = []): object => ({
  name,
  type: 'BRANCH',
  displayName,
  settings: { conditions: [conditions] },
  ...(yes.length > 0 && { onSuccessAction: chain(yes) }),
  ...(no.length > 0 && { onFailureAction: chain(no) }),
})

export const loop = (name: string, displayName: string, items: string, steps: readonly object[]): object => ({
  name,
  type: 'LOOP_ON_ITEMS',
  displayName,
  settings: { items },
  firstLoopAction: chain(steps),
})

/** Answers the caller of a webhook with JSON. */
export const answer = (name: string, body: unknown): object =>
  act(name, 'Answer', 'webhook', 'return_response', { responseType: 'json', fields: { status: 200, headers: {}, body }, respond: 'stop' })

/** Values that a text may have which says no: where a variable is a text, `false` is one too. */
const noes = ['false', 'no', '0', 'none', 'null']

/** Conditions under which a value says yes. */
export const saysYes = (firstValue: string): readonly object[] => [
  { operator: 'BOOLEAN_IS_TRUE', firstValue },
  ...noes.map((secondValue) => ({ operator: 'TEXT_DOES_NOT_EXACTLY_MATCH', firstValue, secondValue })),
]

export const isText = (firstValue: string, secondValue: string): readonly object[] => [{ operator: 'TEXT_EXACTLY_MATCHES', firstValue, secondValue }]
export const exists = (firstValue: string | undefined): readonly object[] => [{ operator: 'EXISTS', firstValue: firstValue ?? '' }]
export const isTrue = (firstValue: string): readonly object[] => [{ operator: 'BOOLEAN_IS_TRUE', firstValue }]

/** A field of what started the automation. */
export const given = (...path: readonly string[]): string => `{{trigger${path.map((it) => `['${it}']`).join('')}}}`
/** What a call found out. */
export const found = (variable: string): string => given('extracted_variables', variable)
/** A number of nobody. */
export const nobody = '+15005550111'
