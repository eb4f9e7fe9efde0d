// Triggers, steps and conditions from which the templates are built. A definition that was made from a template is a copy: a change
// applies to later ones only.

import type { JsonObject } from '../definition/node.ts'

/** Returns the name of a piece in definitions, which are stored: it never changes. */
const pieceName = (name: string): string => (name === 'platform' ? '@platform/piece-platform' : `@engine/piece-${name}`)

const createTrigger = (displayName: string, name: string, triggerName: string, input: JsonObject = {}): object => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  displayName,
  settings: { pieceName: pieceName(name), triggerName, input },
})

export const callEndedTrigger = createTrigger('Phone call ended', 'platform', 'phoneCallEnded')
export const inboundCallTrigger = createTrigger('Inbound call', 'platform', 'inboundCall')
/** Returns a webhook trigger. */
export const webhookTrigger = (displayName: string): object =>
  createTrigger(displayName, 'webhook', 'catch_webhook', { authType: 'none' })
/** Returns a trigger that runs every few minutes. */
export const everyMinutesTrigger = (minutes: string): object =>
  createTrigger('Every few minutes', 'schedule', 'every_x_minutes', { minutes: Number(minutes) })
/** Returns a trigger that runs every day at an hour of a time zone. */
export const everyDayTrigger = (hour: string, timezone: string): object =>
  createTrigger('Every day', 'schedule', 'every_day', {
    hour_of_the_day: Number(hour),
    timezone,
    run_on_weekends: true,
  })
export const bookingTrigger = createTrigger('Appointment booked', 'calendar-a', 'booking_created')

/** Settings that let a run continue after the step fails. */
const continueOnFailureSettings = {
  errorHandlingOptions: { continueOnFailure: { value: true }, retryOnFailure: { value: false } },
}

/** Returns a step of a piece. `name` is the name that other steps refer to. */
export const pieceStep = (
  name: string,
  displayName: string,
  of: string,
  actionName: string,
  input: JsonObject,
  more: { readonly continueOnFailure?: true } = {},
): object => ({
  name,
  type: 'PIECE',
  displayName,
  settings: { pieceName: pieceName(of), actionName, input, ...(more.continueOnFailure && continueOnFailureSettings) },
})

/** Returns a code step. */
export const codeStep = (name: string, displayName: string, source: string, input: JsonObject): object => ({
  name,
  type: 'CODE',
  displayName,
  settings: { sourceCode: { code: source, packageJson: '{}' }, input },
})

const chainSteps = (steps: readonly object[]): object | undefined =>
  steps.reduceRight<object | undefined>((next, it) => ({ ...it, ...(next && { nextAction: next }) }), undefined)

/** Returns a branch step. */
export const branchStep = (
  name: string,
  displayName: string,
  conditions: readonly object[],
  yes: readonly object[],
  no: readonly object[] = [],
): object => ({
  name,
  type: 'BRANCH',
  displayName,
  settings: { conditions: [conditions] },
  ...(yes.length > 0 && { onSuccessAction: chainSteps(yes) }),
  ...(no.length > 0 && { onFailureAction: chainSteps(no) }),
})

/** Returns a loop step. */
export const loopStep = (name: string, displayName: string, items: string, steps: readonly object[]): object => ({
  name,
  type: 'LOOP_ON_ITEMS',
  displayName,
  settings: { items },
  firstLoopAction: chainSteps(steps),
})

/** Returns a step that responds to the caller of a webhook with JSON. */
export const respondStep = (name: string, body: unknown): object =>
  pieceStep(name, 'Answer', 'webhook', 'return_response', {
    responseType: 'json',
    fields: { status: 200, headers: {}, body },
    respond: 'stop',
  })

/** Texts that mean no. A text variable may also contain `false`. */
const negativeTexts = ['false', 'no', '0', 'none', 'null']

/** Returns the conditions under which a value means yes. */
export const isAffirmative = (firstValue: string): readonly object[] => [
  { operator: 'BOOLEAN_IS_TRUE', firstValue },
  ...negativeTexts.map((secondValue) => ({ operator: 'TEXT_DOES_NOT_EXACTLY_MATCH', firstValue, secondValue })),
]

/** Returns the condition that a value equals a text. */
export const equalsText = (firstValue: string, secondValue: string): readonly object[] => [
  { operator: 'TEXT_EXACTLY_MATCHES', firstValue, secondValue },
]
/** Returns the condition that a value exists. */
export const exists = (firstValue: string | undefined): readonly object[] => [
  { operator: 'EXISTS', firstValue: firstValue ?? '' },
]
/** Returns the condition that a value is true. */
export const isTrue = (firstValue: string): readonly object[] => [{ operator: 'BOOLEAN_IS_TRUE', firstValue }]

/** Returns an expression for a field of the trigger. */
export const triggerField = (...path: readonly string[]): string =>
  `{{trigger${path.map((it) => `['${it}']`).join('')}}}`
/** Returns an expression for a value extracted from a call. */
export const extractedVariable = (variable: string): string => triggerField('extracted_variables', variable)
/** Phone number that is not assigned to anyone. */
export const sampleNumber = '+15005550111'
