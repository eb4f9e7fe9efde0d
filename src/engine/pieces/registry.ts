// All pieces, and those that are too small for a file. Names of pieces, actions and fields are in the definitions that users
// have saved: they are added and never renamed.

import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import * as z from '../../contract/schema/schema.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { formatCsvLine } from '../../node/format-csv.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { parseCsv } from '../../node/parse-csv.ts'
import { getOwn, type JsonObject, nodeSettings } from '../definition/node.ts'
import { parseZonedMillis, zonedDateTime } from './date-format.ts'
import { dateHelper } from './date-helper.ts'
import { http } from './http.ts'
import {
  addresses,
  anyText,
  anything,
  choice,
  fields,
  flag,
  fromJson,
  map,
  number,
  optionalText,
  text,
  textList,
  wholeNumber,
  zone,
} from './input-fields.ts'
import { type Action, action, done, type Piece, type Trigger } from './piece.ts'
import type { CallResult } from './ports.ts'
import { webhook } from './respond.ts'
import { calendarA, calendarB, crmB, platform, spreadsheet, store } from './service-pieces.ts'
import type { StepOutcome } from './step-context.ts'
import { StepFailure } from './step-failure.ts'
import { textHelper } from './text/text-helper.ts'
import { cryptoPiece, dataMapper, json, mathHelper } from './value-pieces.ts'

/**
 * Returns the decision of a request to an approval link. A local test, which sends nothing, approves. Links that were sent have the
 * parameter `action`: it never changes.
 */
function isApproved(payload: unknown): boolean {
  if (payload === undefined) return true
  const given = [getOwn(payload, 'queryParams'), getOwn(payload, 'body')].find((it) => isObject(it) && 'action' in it)
  return getOwn(given, 'action') === 'approve'
}

/** Waits until a person approves or disapproves with a link, for example one in an email. */
const approval: Piece = {
  names: ['approval'],
  triggers: {},
  actions: {
    create_approval_links: action({
      title: 'Create approval links',
      example: {},
      isInternal: true,
      input: fields({}),
      run: async (_, { run, ports }) => done(await ports.approvals.createLinks(run)),
    }),
    wait_for_approval: action({
      title: 'Wait for approval',
      example: {},
      isInternal: true,
      input: fields({}),
      run: async (_, { resumed }) =>
        resumed ? done({ approved: isApproved(resumed.payload) }) : { kind: 'pause', until: null },
    }),
  },
}

const delimiterType = choice(['auto', ',', '\t'], 'auto').describe(
  'Character between cells; auto detects it, and writes commas',
)

/** Returns the delimiter; `auto` is the tab if the first line has more tabs than commas. */
function findDelimiter(type: string, csv: string): string {
  if (type !== 'auto') return type
  const [line = ''] = csv.trimStart().split(/[\r\n]/, 1)
  return line.split('\t').length > line.split(',').length ? '\t' : ','
}

const isFilled = (cells: readonly string[]): boolean => cells.length > 1 || cells[0] !== ''

/** Parses CSV to lists of cells without empty lines. @throws StepFailure */
function parseRows(csv: string, delimiter: string): string[][] {
  const { rows, rest } = parseCsv(csv, delimiter)
  if (rest !== '') throw new StepFailure('csv_text has a quote that is never closed.')
  return rows.filter(isFilled)
}

/** Returns the list in a field, which may be JSON as text. @throws StepFailure */
function parseList(value: unknown): unknown[] {
  let list = value
  try {
    if (typeof value === 'string') list = parseJson(value)
  } catch (error) {
    throw new StepFailure(`csv_object is not valid JSON: ${(error as Error).message}`)
  }
  const isList = Array.isArray(list) && (list.every((it) => Array.isArray(it)) || list.every((it) => isObject(it)))
  if (!isList) throw new StepFailure('csv_object must be a list of objects, or a list of lists.')
  return list as unknown[]
}

const toCell = (value: unknown): string => anyText.parse(value)

/** Converts between CSV and JSON. */
const csv: Piece = {
  names: ['csv'],
  triggers: {},
  actions: {
    convert_csv_to_json: action({
      title: 'Convert CSV to JSON',
      example: { csv_text: 'name,city\nAda,Paris', has_headers: true },
      isInternal: true,
      input: fields({
        csv_text: text.describe('CSV to read'),
        has_headers: flag.describe('Whether the first line has names: the output is then objects, otherwise lists'),
        delimiter_type: delimiterType,
      }),
      run: async ({ csv_text: given, has_headers: hasHeaders, delimiter_type: type }) => {
        const rows = parseRows(given, findDelimiter(type, given))
        if (!hasHeaders) return done(rows)
        const [names = [], ...records] = rows
        return done(
          records.map((cells) => Object.fromEntries(names.slice(0, cells.length).map((name, i) => [name, cells[i]]))),
        )
      },
    }),
    convert_json_to_csv: action({
      title: 'Convert JSON to CSV',
      example: { csv_object: [{ name: 'Ada', city: 'Paris' }], has_headers: true },
      isInternal: true,
      input: fields({
        csv_object: anything.describe('List of objects, or of lists, or its JSON as text'),
        has_headers: flag.describe('Whether the first line has the names of the fields'),
        delimiter_type: delimiterType,
      }),
      run: async ({ csv_object: given, has_headers: hasHeaders, delimiter_type: type }) => {
        const list = parseList(given)
        const names = [...new Set(list.flatMap((it) => (isObject(it) ? Object.keys(it) : [])))]
        const rows = list.map((row) =>
          (Array.isArray(row) ? row : names.map((name) => (row as Record<string, unknown>)[name])).map(toCell),
        )
        const lines = (hasHeaders && names.length > 0 ? [names, ...rows] : rows).filter(isFilled)
        return done(lines.map((it) => formatCsvLine(it, type === 'auto' ? ',' : type).slice(0, -1)).join('\r\n'))
      },
    }),
  },
}

const list = z.preprocess(fromJson, z.array(z.unknown()))

/** Returns the values as numbers, also those in texts. @throws StepFailure that names those that are none */
function toNumbers(values: readonly unknown[]): number[] {
  const numbers = values.map((value) =>
    (typeof value === 'string' && value.trim() !== '') || typeof value === 'bigint' ? Number(value) : value,
  )
  const wrong = numbers.findIndex((it) => typeof it !== 'number' || !Number.isFinite(it))
  if (wrong >= 0)
    throw new StepFailure(`values[${wrong}] is not a number: ${stringifyJson(values[wrong]) ?? 'nothing'}.`)
  return numbers as number[]
}

const calculation = (
  title: string,
  example: JsonObject,
  calculate: (numbers: readonly number[]) => object,
  isEmptyAllowed = false,
): Action<never> =>
  action({
    title,
    example,
    isInternal: true,
    input: fields({ values: list.describe('List of numbers, or its JSON as text') }),
    run: async ({ values }) => {
      if (values.length === 0 && !isEmptyAllowed) throw new StepFailure('values must have at least one number.')
      return done(calculate(toNumbers(values)))
    },
  })

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, it) => sum + it, 0)

/** Returns the fields of an object that are counted; other values have none. */
const pick = (value: unknown, names: readonly string[]): object =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))) : {}

/** Calculates with the values of a list. */
export const dataSummarizer: Piece = {
  names: ['data-summarizer'],
  triggers: {},
  actions: {
    calculateAverage: calculation('Average of a list', { values: [1, 2, 3] }, (numbers) => ({
      average: sumOf(numbers) / numbers.length,
    })),
    calculateSum: calculation('Sum of a list', { values: [1, 2, 3] }, (it) => ({ sum: sumOf(it) }), true),
    getMinMax: calculation('Lowest and highest number of a list', { values: [1, 2, 3] }, (numbers) => ({
      max: numbers.reduce((max, value) => Math.max(max, value)),
      min: numbers.reduce((min, value) => Math.min(min, value)),
    })),
    countUniques: action({
      title: 'Number of different values of a list',
      example: {
        values: [{ city: 'Paris' }, { city: 'Lyon' }, { city: 'Paris' }],
        fields: ['city'],
      },
      isInternal: true,
      input: fields({
        values: list.describe('List whose different values are counted, or its JSON as text'),
        fields: z
          .preprocess(
            (it) => (Array.isArray(it) && it.length === 0 ? undefined : (it ?? undefined)),
            textList.optional(),
          )
          .describe('Fields of objects that are compared (default: all)'),
      }),
      run: async ({ values, fields: names }) =>
        done({ numUniques: new Set(values.map((it) => stringifyJson(names ? pick(it, names) : it))).size }),
    }),
  },
}

const seconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const
/** Maximum time a run can be paused, in days. Published definitions may use all of it: it does not become less. */
const maxDays = 366

const delayFor = action({
  title: 'Wait for some time',
  example: { unit: 'minutes', delayFor: 30 },
  input: fields({
    unit: choice(['seconds', 'minutes', 'hours', 'days'], 'seconds').describe('Unit of delayFor'),
    delayFor: number.describe('How long to wait, at most 366 days'),
  }),
  run: async (input, { now, resumed }) => {
    const micros = Math.round(input.delayFor * seconds[input.unit] * 1_000_000)
    if (!(micros >= 0)) throw new StepFailure('delayFor must be at least 0.')
    if (micros > maxDays * 86_400_000_000) throw new StepFailure(`A delay can be at most ${maxDays} days long.`)
    const output = { delayForInMs: micros / 1000, success: true }
    return resumed || micros === 0 ? done(output) : { kind: 'pause', until: now + micros, output }
  },
})

const toIso = (millis: number): string => new Date(millis).toISOString()

const delayUntil = action({
  title: 'Wait until a date and time',
  example: { delayUntilTimestamp: '{{trigger.body.reminder}}', timezone: 'Europe/Paris' },
  // A timestamp without a time zone is in `timezone`, or in UTC.
  input: fields({
    delayUntilTimestamp: zonedDateTime.describe('Date and time when the run continues, at most 366 days ahead'),
    timezone: zone,
  }),
  run: async (input, { now, resumed }) => {
    const millis = parseZonedMillis(input.delayUntilTimestamp, input.timezone)
    const until = Math.round(millis * 1000)
    if (until - now > maxDays * 86_400_000_000) throw new StepFailure(`A delay can be at most ${maxDays} days long.`)
    const output = { delayTill: toIso(millis), success: true }
    return resumed || until <= now ? done(output) : { kind: 'pause', until, output }
  },
})

/**
 * Even a short delay is a row with a time and not a sleep: it survives a restart, and changes of the clock affect it.
 */
export const delay: Piece = { names: ['delay'], triggers: {}, actions: { delayFor, delay_until: delayUntil } }

const input = fields({
  receiver: addresses.describe('Recipients: a list, or a text with commas between the addresses'),
  to: addresses.describe('More recipients; the email goes to these and to receiver'),
  cc: addresses.describe('Recipients of a copy'),
  bcc: addresses.describe('Recipients of a copy that others do not see'),
  subject: anyText.describe('Subject'),
  body: anyText.describe('Text of the email'),
  body_type: choice(['plain_text', 'html'], 'plain_text').describe('How body is read'),
  // The Gmail piece has a list of addresses, the other pieces one text.
  reply_to: z
    .preprocess(
      (it) => (Array.isArray(it) ? it.filter((one) => typeof one === 'string' && one.trim() !== '').join(', ') : it),
      optionalText,
    )
    .describe('Address that answers go to (default: the sender)'),
  sender_name: optionalText.describe('Name that recipients see as the sender'),
})

const sendEmail = action({
  title: 'Send an email',
  example: {
    receiver: ['ada@example.com'],
    subject: 'Your order',
    body: '<p>Hello {{trigger.body.name}}</p>',
    body_type: 'html',
    reply_to: 'shop@example.com',
  },
  input,
  hasSideEffects: true,
  connection: 'mail',
  run: async (input, { account, key, ports }) => {
    const to = [...input.receiver, ...input.to]
    if (to.length === 0) throw new StepFailure('receiver is required.')
    // A line break would start another header.
    const line = (text: string): string => text.replace(/[\r\n]+/g, ' ')
    const { id } = await ports.mail.send(
      { account, key },
      {
        to,
        cc: input.cc,
        bcc: input.bcc,
        subject: line(input.subject),
        [input.body_type === 'html' ? 'html' : 'text']: input.body,
        replyTo: input.reply_to === undefined ? undefined : line(input.reply_to),
        senderName: input.sender_name === undefined ? undefined : line(input.sender_name),
      },
    )
    return done({ id, to, subject: input.subject })
  },
})

const mail: Piece = {
  names: ['mail', 'gmail', 'smtp'],
  triggers: {},
  // The name of the action differs between the pieces.
  actions: {
    send_email: sendEmail,
    'send-email': { ...sendEmail, example: { to: 'ada@example.com', subject: 'Your order', body: 'Hello' } },
  },
}

/** Parameters of templates have the limits of these inputs (engine/templates/param-checks.ts). */
const hour = wholeNumber(0, 0, 23).describe('Hour of the day in the time zone')
const weekends = flag.describe('Whether it also runs on Saturdays and Sundays')

const scheduleTrigger = (title: string, shape: z.ZodRawShape, example: JsonObject): Trigger => ({
  title,
  example,
  kind: 'schedule',
  input: fields(shape),
})

/**
 * Schedules run on weekdays only unless `run_on_weekends` is set. This is the default of the original editors; lint
 * warns about it.
 */
const schedule: Piece = {
  names: ['schedule'],
  actions: {},
  triggers: {
    every_x_minutes: scheduleTrigger(
      'Every few minutes',
      {
        minutes: wholeNumber(1, 1, 59).describe('Minutes between two runs'),
      },
      { minutes: 15 },
    ),
    every_hour: scheduleTrigger('Every hour', { run_on_weekends: weekends }, { run_on_weekends: true }),
    every_day: scheduleTrigger(
      'Every day',
      { hour_of_the_day: hour, timezone: zone, run_on_weekends: weekends },
      { hour_of_the_day: 9, timezone: 'Europe/Paris', run_on_weekends: true },
    ),
    every_week: scheduleTrigger(
      'Every week',
      {
        day_of_the_week: wholeNumber(0, 0, 6).describe('0 is Sunday'),
        hour_of_the_day: hour,
        timezone: zone,
      },
      { day_of_the_week: 1, hour_of_the_day: 9, timezone: 'Europe/Paris' },
    ),
    every_month: scheduleTrigger(
      'Every month',
      {
        day_of_the_month: wholeNumber(1, 1, 31).describe('Day of the month'),
        hour_of_the_day: hour,
        timezone: zone,
      },
      { day_of_the_month: 1, hour_of_the_day: 9, timezone: 'Europe/Paris' },
    ),
    cron_expression: scheduleTrigger(
      'On a cron schedule',
      {
        cronExpression: z
          .preprocess((it) => (it === undefined || it === '' ? '0/5 * * * *' : it), text)
          .describe('Minute, hour, day of the month, month and day of the week'),
        timezone: zone,
      },
      { cronExpression: '0 9 * * 1-5', timezone: 'Europe/Paris' },
    ),
  },
}

/** Id or name of an automation. Editors store an object with its id instead of a text. */
const automation = z.preprocess(
  (it) => (isObject(it) ? (getOwn(it, 'externalId') ?? getOwn(it, 'id') ?? '') : it),
  z.string({ error: 'must be the name or the id of an automation' }).min(1),
)

/** Returns the outcome of a call that ended. @throws StepFailure if the called run failed or did not respond */
function toOutcome(result: CallResult): StepOutcome {
  if (result.status !== 'success') throw new StepFailure(result.errorMessage)
  return done({ status: result.status, data: result.data })
}

/** Lets automations call others of the same account, and return a response to the caller. */
export const subflows: Piece = {
  names: ['subflows'],
  triggers: {
    callableFlow: {
      title: 'Called by another automation',
      example: { exampleData: { name: 'Ada' } },
      kind: 'call',
      input: fields({ exampleData: anything.describe('Example of the payload of a call, for tests') }),
    },
  },
  actions: {
    callFlow: action({
      title: 'Call another automation',
      example: { flow: 'Greeting', flowProps: { payload: { name: 'Ada' } }, waitForResponse: true },
      hasSideEffects: true,
      resource: 'automate',
      input: fields({
        flow: automation.describe('Name or id of the automation'),
        flowProps: z
          .preprocess((it) => it ?? {}, fields({ payload: anything }))
          .describe('payload, which is {{trigger.data}} there'),
        waitForResponse: flag.describe('Whether the step waits, and returns the response'),
      }),
      async run({ flow, flowProps, waitForResponse }, { account, key, run, testing, resumed, ports }) {
        if (resumed) return toOutcome(resumed.payload as CallResult)
        const call = { automation: flow, data: fromJson(flowProps.payload) ?? {}, caller: run, testing }
        const started = await ports.subflows.start({ account, key }, call, waitForResponse)
        if (!waitForResponse) return done({ runId: started.run })
        return started.result ? toOutcome(started.result) : { kind: 'pause', until: null, call: started.run }
      },
    }),
    returnResponse: action({
      title: 'Return a response to the caller',
      example: { response: { greeting: 'Hello Ada' } },
      isInternal: true,
      input: fields({ response: map.describe('Response by field, or the whole response in its field response') }),
      async run({ response }) {
        const given = Object.hasOwn(response, 'response') ? fromJson(response.response) : response
        const body = given ?? null
        return { kind: 'respond', status: 200, headers: {}, body, stop: false, output: body }
      },
    }),
  },
}

/** All pieces of this platform. */
export const pieces: readonly Piece[] = [
  webhook,
  schedule,
  platform,
  http,
  delay,
  approval,
  subflows,
  store,
  mail,
  spreadsheet,
  calendarA,
  calendarB,
  crmB,
  dataMapper,
  dataSummarizer,
  json,
  mathHelper,
  cryptoPiece,
  textHelper,
  dateHelper,
  csv,
]

const byName = new Map(pieces.flatMap((piece) => piece.names.map((name) => [name, piece] as const)))

/**
 * Returns a piece by its package, `@engine/piece-http`, or by the spelling of deployments. Every name that it finds may be in a
 * published definition.
 */
export function findPiece(pieceName: unknown): Piece | undefined {
  if (typeof pieceName !== 'string') return undefined
  const [, scope, name = ''] =
    /^@(engine|activepieces|platform|integration-tools)\/piece-([a-z0-9-]+)$/.exec(pieceName) ?? []
  const piece = scope === undefined ? undefined : byName.get(name)
  const ours = scope === 'platform' || scope === 'integration-tools'
  return piece && (piece === platform) === ours ? piece : undefined
}

/** Returns the package of a piece, as definitions name it: `@engine/piece-http`. */
export const packageNameOf = ({ names: [name = ''] }: Pick<Piece, 'names'>): string =>
  `@${name === 'platform' ? 'platform' : 'engine'}/piece-${name}`

/** Returns the action that a PIECE step names. */
export function actionOf(node: AutomationNode): Action<never> | undefined {
  const settings = nodeSettings(node)
  return getOwn(findPiece(getOwn(settings, 'pieceName'))?.actions, String(getOwn(settings, 'actionName') ?? '')) as
    | Action<never>
    | undefined
}

/** Returns the trigger of a trigger node. */
export function triggerOf(node: AutomationNode): Trigger | undefined {
  if (node.type !== 'PIECE_TRIGGER') return undefined
  const settings = nodeSettings(node)
  return getOwn(findPiece(getOwn(settings, 'pieceName'))?.triggers, String(getOwn(settings, 'triggerName') ?? '')) as
    | Trigger
    | undefined
}
