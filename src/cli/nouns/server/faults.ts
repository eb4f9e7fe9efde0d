// Commands of `server faults`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and
// flags: they are added, not renamed.

import { driftOperations, type Fault, faults, socketFaults } from '../../../contract/control/faults.ts'
import { endpoints } from '../../../contract/resources/index.ts'
import { stringifyJson } from '../../../node/json.ts'
import { command, type Invocation, repeatedFlag } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import { idView, type View } from '../../program/output/format.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import { selectIfMissing } from '../../program/prompts/prompt-if-missing.ts'
import type { Target } from '../../program/resources/resource.ts'

/** Describes the effect of a fault rule. */
function does({ error, code, status, socket, drift, latency_ms }: Fault): string {
  const parts = [
    ...(latency_ms > 0 ? [`wait ${latency_ms} ms`] : []),
    ...(error === null ? [] : [code === null ? error : `${error} ${code}`]),
    ...(status === null ? [] : [`status ${status}`]),
    ...(socket === null ? [] : [socket]),
    ...drift,
  ]
  return parts.join(', ')
}

/** Describes the requests that a fault rule applies to. */
function about({ account, where, probability }: Fault): string {
  const parts = [
    ...(account === null ? [] : [`account ${account}`]),
    ...Object.entries(where).map(
      ([path, value]) => `${path}=${typeof value === 'object' ? stringifyJson(value) : value}`,
    ),
    ...(probability < 1 ? [`${Math.round(probability * 1000) / 10} %`] : []),
  ]
  return parts.join(', ') || 'all requests'
}

/** Describes how often a fault rule can still trigger; `exhausted` if it cannot. */
const stateOf = ({ times, fired }: Fault): string =>
  times === null ? 'active' : fired < times ? `${times - fired} left` : 'exhausted'

/** How fault rules are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<Fault> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'endpoint', title: 'Endpoint', priority: 1 },
    { key: does, title: 'Effect', priority: 1, flexible: true },
    { key: about, title: 'Applies to', priority: 2, flexible: true },
    { key: stateOf, title: 'State', priority: 2 },
    { key: 'fired', title: 'Triggered', priority: 2, kind: 'number' },
    { key: 'met', title: 'Matched', priority: 4, kind: 'number' },
    { key: 'created_at', title: 'Since', priority: 5, kind: 'time' },
  ],
  empty: 'No fault rules. Create one: parley server faults create --help.',
}

const lines = (words: Readonly<Record<string, string>>, flag: (word: string) => string): string =>
  Object.entries(words)
    .map(([word, meaning]) => `${flag(word)}: ${meaning}`)
    .join('\n')

export const create = command({
  endpoint: faults.add,
  filledFields: ['endpoint', 'where', 'drift'],
  argument: { name: 'endpoint', describe: 'Endpoint to match: numbers.buy, "numbers.*" or "*"' },
  flags: [
    {
      flags: '--where <path=value>',
      describe: 'Match only requests with this value in path, query or body; repeatable',
      repeatable: true,
    },
    {
      flags: '--drift <change>',
      describe: 'Change the response, such as "remove data.*.price"; repeatable',
      repeatable: true,
      field: 'drift',
    },
  ],
  examples: [
    'numbers.buy --error numbers.payment_failed --times 1',
    'numbers.buy --socket drop --where phone_number=+15005550006 --times 1',
    '"*" --status 503 --probability 0.2 --seed 7',
    'tools.list --latency-ms 400 --account 1',
    'numbers.search --drift "text data.*.price" --drift "remove data.*.sms_capable"',
  ],
  notes: `The first fault rule that matches a request is applied. Rules apply to every process that uses the data folder, until they are exhausted or deleted, or the platform is reset.
In a path, * matches every item of a list, and "." is the whole response.
${lines(socketFaults, (it) => `--socket ${it}`)}
${lines(driftOperations, (it) => `--drift "${it}"`)}`,
  view,
  async run(context, { argument: given, input, flags }) {
    const argument = await endpointOf(context, given)
    const where = { ...(input.where as object | undefined), ...whereOf(flags) }
    const drift = [...((input.drift as string[] | undefined) ?? []), ...repeatedFlag(flags, 'drift')]
    // The platform reads the conditions of `where` and the changes of `drift`, and refuses invalid ones.
    const rule = {
      ...input,
      endpoint: argument,
      ...(Object.keys(where).length > 0 && { where }),
      ...(drift.length > 0 && { drift }),
    }
    const answer = await sendRequest(context, faults.add, rule)
    if (answer)
      await printWriteResult(context, answer.message, answer.data, `parley server faults delete ${answer.data.id}`)
  },
})

async function endpointOf(context: Context, given: string | undefined): Promise<string> {
  const names = given === undefined && context.interactive ? endpoints.map(({ name }) => name) : []
  return selectIfMissing(context, given, ['*', ...names], {
    question: 'Which endpoint?',
    missingMessage: 'Missing endpoint. Pass an endpoint or "*".',
    hint: 'List endpoints: parley api --list.',
  })
}

function whereOf(flags: Invocation['flags']): Record<string, string> {
  return Object.fromEntries(
    repeatedFlag(flags, 'where').map((condition) => {
      const at = condition.indexOf('=')
      if (at < 1) throw usageError(`Invalid --where "${condition}". Use path=value.`)
      return [condition.slice(0, at), condition.slice(at + 1)]
    }),
  )
}

export const clear = command({
  endpoint: faults.clear,
  examples: [''],
  async run(context) {
    const answer = await sendRequest(context, faults.clear, {})
    if (!answer) return
    await context.out.result(answer, answer.message, { view: idView(() => answer.message) })
  },
})

export const list = listCommand({
  endpoint: faults.list,
  examples: ['', '--json'],
  view,
})

const target: Target = {
  singular: 'fault',
  list: faults.list,
  listCommand: 'server faults list',
  by: [],
  label: (it) => `${it.id} ${it.endpoint}`,
}

export const remove = command({
  endpoint: faults.remove,
  argument: { name: 'id', describe: 'Id of the fault rule' },
  examples: ['1'],
  async run(context, { argument }) {
    const [id, answer] = await requestById(
      context,
      argument,
      target,
      async (id) => [id, await sendRequest(context, faults.remove, { id })] as const,
    )
    if (answer) await printMessage(context, answer.message, id)
  },
})
