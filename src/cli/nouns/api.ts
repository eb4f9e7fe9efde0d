import type { ZodType } from 'zod'
import { composedCalls } from '../../contract/endpoint/composed-calls.ts'
import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import { endpoints } from '../../contract/resources/index.ts'
import * as z from '../../contract/schema/schema.ts'
import { usd } from '../../contract/values/money.ts'
import { type CommandInput, command, type Invocation } from '../program/commandline/command.ts'
import { forceFlag } from '../program/commandline/field-flags.ts'
import { previewRequest } from '../program/connection/send-request.ts'
import { comparableFields, readIfExists, writtenKind } from '../program/consent/delete-resource.ts'
import { confirmPlan, guardWrite, requireConfirmation } from '../program/consent/require-confirmation.ts'
import type { Context } from '../program/context.ts'
import { usageError } from '../program/errors/usage-error.ts'
import { readFields } from '../program/input/read-fields.ts'
import { resolveEndpoint } from '../program/input/resolve-endpoint.ts'
import { spendingFlags } from '../program/operations/billing-flags.ts'
import { knownPrice } from '../program/operations/budget.ts'
import { requireFields } from '../program/output/fields.ts'
import type { View } from '../program/output/format.ts'
import { applyLimit } from '../program/output/print-list.ts'
import type { ListedItem } from '../program/resources/resource.ts'
import { describeChanges } from '../program/updates/field-changes.ts'
import { applicableFields } from '../program/updates/inapplicable-fields.ts'

/** An endpoint in the list of `parley api --list`. Scripts read it as JSON: fields are added, not renamed. */
interface ListedEndpoint {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly risk: string
  readonly section: string
  readonly assumed: string | null
  /** The endpoint that is called instead; null for a real endpoint. */
  readonly composed: string | null
  readonly summary: string
}

/** How endpoints are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
const view: View<ListedEndpoint> = {
  id: (it) => it.name,
  columns: [
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'method', title: 'Method', priority: 3 },
    { key: 'path', title: 'Path', priority: 2, flexible: true },
    { key: 'risk', title: 'Risk', priority: 5 },
    { key: 'section', title: 'Section', priority: 6 },
    { key: 'assumed', title: 'Assumed from', priority: 8, flexible: true },
    { key: 'composed', title: 'Composed of', priority: 7 },
  ],
  empty: 'No endpoints.',
}

export const api = command({
  callsPlatform: true,
  exits: ['consent', 'unknown', 'payment', 'finding'],
  summary: 'Call any API endpoint by name',
  argument: { name: 'endpoint', describe: 'Endpoint name, for example tools.update', optional: true },
  flags: [
    { flags: '--list', describe: 'List endpoints with their assumptions and the endpoints they combine' },
    { flags: '-f, --file <path>', describe: 'Read fields from a JSON or YAML file; - for standard input' },
    { flags: '--data <json>', describe: 'Fields as JSON or YAML' },
    { flags: '--headers', describe: 'Print the response status and headers to stderr' },
    { flags: '--confirm <name>', describe: 'Name of the protected profile, to confirm' },
    forceFlag,
    ...spendingFlags,
  ],
  examples: [
    '--list',
    'keys.list',
    "tools.update --data '{id: 1, timeout: 20}'",
    'sms.send --data \'{from: 4, to: "+14155550142", body: Hello}\' --budget 0.05 --yes',
  ],
  notes: 'Pass path, query and body fields together in --data. The response is printed unchanged.',
  view,
  async run(context, { argument, flags }) {
    if (flags.list) return context.out.list(applyLimit(context, await everyEndpoint()), { view })
    const endpoint = await resolveEndpoint(context, argument)
    return callEndpoint(context, endpoint, flags)
  },
})

/** Returns all endpoints, each followed by the endpoints that are composed of it. */
async function everyEndpoint(): Promise<ListedEndpoint[]> {
  return endpoints.flatMap((endpoint) => {
    const own = toListedEndpoint(endpoint)
    return [
      own,
      ...composedCalls
        .filter(({ of }) => of === endpoint.name)
        .map(({ name, of, summary }) => ({ ...own, name, summary, composed: of })),
    ]
  })
}

const toListedEndpoint = ({ name, method, path, risk, section, assumed, summary }: Endpoint): ListedEndpoint => ({
  name,
  method,
  path,
  risk,
  section,
  assumed: assumed ?? null,
  composed: null,
  summary,
})

async function callEndpoint(context: Context, endpoint: Endpoint, flags: Invocation['flags']): Promise<void> {
  if (endpoint.risk !== 'spends' && context.writeSettings.budgetUsd !== undefined)
    throw usageError(`--budget does not apply: ${endpoint.name} costs nothing.`, 'Remove --budget.')
  const all = z.looseObject({ ...endpoint.params?.shape, ...endpoint.query?.shape, ...endpoint.body?.shape } as Record<
    string,
    ZodType
  >)
  const sources = {
    ...(flags.file !== undefined && { file: String(flags.file) }),
    ...(flags.data !== undefined && { data: String(flags.data) }),
  }
  const given = await readFields(context.system, { ...endpoint, body: all }, [], {}, sources)
  const input = endpoint.method === 'POST' ? applicableFields(context, { endpoint, given }) : given
  const acting = { ...context, command: { ...context.command, risk: endpoint.risk } }
  if (await previewRequest(acting, endpoint, input)) return
  if (endpoint.risk !== 'read') {
    await guardWrite(context, flags.confirm as string | undefined)
  }
  if (endpoint.risk !== 'read' && endpoint.risk !== 'write') await confirmCall(context, endpoint, input)
  const { format, fields = [] } = context.out.settings
  // The output format is checked before anything is written.
  if (endpoint.risk !== 'read' && format === 'id')
    throw usageError('-o id does not work here: the response is printed unchanged.', 'Use -o json.')
  if (endpoint.risk !== 'read') requireFields(fields, { schema: endpoint.output })
  const reply = await context.call.raw(endpoint, input)
  if (flags.headers)
    await context.notes.note(
      [`status: ${reply.status}`, ...Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`)].join(
        '\n',
      ),
    )
  if (Array.isArray(reply.output)) await context.out.list(applyLimit(context, reply.output))
  else await context.out.result(reply.output as object, () => context.out.json(reply.output))
}

/** What a call costs, and the resource that it changes. */
interface CallPlan {
  readonly cost?: string
  readonly live?: ListedItem | undefined
}

/** Confirms a call that spends money or cannot be undone. After the answer, price and resource are compared again. */
async function confirmCall(context: Context, endpoint: Endpoint, input: CommandInput): Promise<void> {
  if (await context.approvals.replacesConfirmation(`Call ${endpoint.name}: ${endpoint.summary}.`, endpoint)) return
  const isAsked = context.interactive && !context.globals.yes
  const spends = endpoint.risk === 'spends'
  const kind = await writtenKind(context, endpoint)
  const readPlan = async (): Promise<CallPlan> => {
    if (!spends) return { live: kind && (await readIfExists(context, kind, input as never).catch(() => undefined)) }
    const price = await knownPrice(context, endpoint.name, input).catch(() => undefined)
    return { cost: Number.isFinite(price) ? usd(Number(price)) : 'unknown' }
  }
  await confirmPlan(context, {
    plan: isAsked ? await readPlan() : {},
    ask: ({ cost }, isAskedAgain) =>
      requireConfirmation(
        context,
        {
          question: `${endpoint.summary}. ${cost === undefined ? '' : `Price: ${cost}. `}Call ${endpoint.name}?`,
          refusalMessage: `${endpoint.name} ${spends ? 'spends money' : 'cannot be undone'} and requires confirmation.`,
        },
        { isAskedAgain },
      ),
    read: readPlan,
    describeChanges: (agreed, current) => [
      ...(agreed.cost === current.cost ? [] : [`The price changed from ${agreed.cost} to ${current.cost}.`]),
      ...(agreed.live && current.live
        ? describeChanges(comparableFields(kind, agreed.live), comparableFields(kind, current.live)).map(
            (it) => `Changed while the question was open: ${it}`,
          )
        : []),
    ],
  })
}
