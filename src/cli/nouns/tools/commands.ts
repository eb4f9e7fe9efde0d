// Commands of `tools`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and flags:
// they are added, not renamed.

import { TransportError } from '../../../client/transport/transport.ts'
import { type Tool, tools } from '../../../contract/resources/tools.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { findSecretsIn, hideSecrets, hideSecretsIn } from '../../../engine/definition/secrets.ts'
import { hostReach } from '../../../engine/http/address-policy.ts'
import { toHttpResult } from '../../../engine/tools/function-values.ts'
import { buildToolRequest, parseArguments } from '../../../engine/tools/tool-request.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { command, repeatedFlag } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { getCommand } from '../../program/commandline/get-command.ts'
import { inUseNote } from '../../program/consent/delete-resource.ts'
import { confirmPlan, requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseVariables } from '../../program/input/parse-variables.ts'
import { readValue } from '../../program/input/read-document.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import { changeSelected, printingSelected, selectionFlag, unusedItems } from '../../program/lists/selection.ts'
import { idView, type View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { redactSecrets } from '../../program/secrets/masked-values.ts'
import { maskingTools, maskToolCredentials, unmaskFlag } from '../../program/secrets/tool-credentials.ts'
import type { System } from '../../program/system.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import { describeChanges } from '../../program/updates/field-changes.ts'
import { target, view } from './view.ts'

interface ToolRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly timeout_ms: number
}

/** The request of a tool, its response, and the result for the assistant. Scripts read it as JSON: fields and words are added, not renamed. */
interface ToolTest {
  readonly tool: { readonly id: number; readonly name: string }
  /** Null if it cannot be built from the parameters. */
  readonly request: ToolRequest | null
  /** Null if nothing was sent or no response arrived. */
  readonly response: { readonly status: number; readonly duration_ms: number; readonly body: string } | null
  /** The result that the assistant receives; null if nothing was sent. */
  readonly result: Readonly<Record<string, unknown>> | null
  /** The error that the assistant receives; null otherwise. */
  readonly error: string | null
}

const toolTestView: View<ToolTest> = idView((it) => it.tool.id)

/**
 * Builds the request of a tool as the platform does (section 2.2 of the specification). Without a required parameter there
 * is no request, and the result is an error. @throws ClientFailure `usage` for a tool without a URL
 */
async function buildTestRequest(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, unknown>>,
): Promise<ToolTest> {
  if (tool.type === 'automation' && !URL.canParse(tool.endpoint))
    throw usageError(
      `The tool "${tool.name}" runs an automation and has no URL.`,
      'Test the automation: parley automate test <id>.',
    )
  const base = { tool: { id: tool.id, name: tool.name }, response: null, result: null, error: null }
  const isAutomation = tool.type === 'automation'
  try {
    const { method, url, headers, body, timeout } = buildToolRequest(
      {
        ...tool,
        // A tool with an automation does not choose the method and the body format (section 4.2 of the specification).
        ...(isAutomation && { method: 'POST', body_format: 'json' }),
        headers: stringifyJson(tool.headers),
        static_fields: stringifyJson(tool.static_fields),
      },
      parseArguments(tool.schema, given),
      variables,
    )
    const text = body === undefined ? null : String(body)
    return { ...base, request: { method, url, headers, body: text, timeout_ms: timeout } }
  } catch (error) {
    const { name, message } = error as Error
    // Not a message for the assistant: the platform left out a field of the tool.
    if (name === 'TypeError') throw error
    return { ...base, request: null, result: { error: message }, error: message }
  }
}

/** Sends the request from this computer, once and without an API key, and returns the result for the assistant. */
async function sendTestRequest({ system }: Context, built: ToolTest): Promise<ToolTest> {
  const { method, url, headers, body, timeout_ms } = built.request as ToolRequest
  const { origin, pathname, search, hostname } = new URL(url)
  if (hostReach(hostname) === 'never')
    throw usageError(`No platform sends requests to ${hostname}.`, 'Change the endpoint of the tool.')
  const startedAt = system.now()
  const failed = (error: string): ToolTest => ({ ...built, result: { error }, error })
  try {
    const transport = await system.connect(origin, { env: system.env, insecure: true })
    try {
      const answer = await transport.send(
        { method, url: `${pathname}${search}`, headers, ...(body !== null && { body }) },
        { timeoutMs: timeout_ms, signal: system.signal },
      )
      const text = String(answer.body)
      // The text is decoded already, so its character set is omitted.
      const type = answer.headers['content-type']?.split(';')[0]
      const decodedHeaders = { ...answer.headers, ...(type !== undefined && { 'content-type': type }) }
      const result = toHttpResult({ status: answer.status, headers: decodedHeaders, body: Buffer.from(text) })
      const isError = answer.status < 200 || answer.status >= 300
      return {
        ...built,
        response: { status: answer.status, duration_ms: Math.round(system.now() - startedAt), body: text },
        result,
        error: isError ? `The server returned status ${answer.status}.` : null,
      }
    } finally {
      await transport.close()
    }
  } catch (error) {
    if (system.signal.aborted || !(error instanceof TransportError)) throw error
    return failed(error.message)
  }
}

/** Longest response that is printed for people, in characters. */
const maxShown = 2000

/** Prints a test of a tool: for people as request, response and result; for programs as one record. */
async function printToolTest(context: Context, tested: ToolTest, isUnmasked: boolean): Promise<void> {
  const { out } = context
  const shown = isUnmasked ? tested : await masked(tested)
  if (!out.isForPeople) return out.record(shown, { view: toolTestView })
  const { request, response, result, error } = shown
  const lines: string[] = []
  if (request) {
    lines.push(`${request.method} ${request.url}`)
    for (const [name, value] of Object.entries(request.headers)) lines.push(`  ${name}: ${value}`)
    if (request.body !== null) lines.push(`  ${request.body}`)
  }
  if (response) {
    lines.push(`Status ${response.status} after ${response.duration_ms} ms`)
    if (response.body !== '')
      lines.push(
        `  ${response.body.slice(0, maxShown)}${response.body.length > maxShown ? '... (use --json for all of it)' : ''}`,
      )
  }
  if (result) lines.push(`The assistant receives: ${stringifyJson(result).slice(0, maxShown)}`)
  for (const line of lines) await out.line(safeText(line))
  if (error !== null && !response) await context.notes.warn(error)
}

/** Masks credentials in the URL, headers and body of the request, also where the response repeats them. */
async function masked(tested: ToolTest): Promise<ToolTest> {
  if (!tested.request) return tested
  const { url, headers, body } = tested.request
  const { endpoint, headers: pairs } = maskToolCredentials({
    endpoint: url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  })
  const secrets = [
    ...repeatedCredentials(headers, pairs),
    ...findSecretsIn([url, body, ...Object.entries(headers).map(([name, value]) => ({ name, value }))]),
  ]
  return {
    ...tested,
    ...(tested.response && {
      response: { ...tested.response, body: hideSecrets(tested.response.body, secrets) },
    }),
    result: tested.result && (hideSecretsIn(tested.result, secrets) as ToolTest['result']),
    request: {
      ...tested.request,
      url: endpoint,
      headers: Object.fromEntries(pairs.map(({ name, value }) => [name, value])),
      body: body === null ? null : maskedBody(body),
    },
  }
}

/** Returns the values of masked headers, and their parts such as the token after "Bearer". */
function repeatedCredentials(
  headers: Readonly<Record<string, string>>,
  shown: readonly { readonly name: string; readonly value: string }[],
): string[] {
  const values = shown.flatMap(({ name, value }) => (headers[name] === value ? [] : (headers[name] ?? [])))
  return values.flatMap((it) => [it, ...it.split(/\s+/)]).filter((it) => !/^(bearer|basic|digest|apikey)$/i.test(it))
}

function maskedBody(body: string): string {
  try {
    const fields: unknown = parseJson(body)
    if (isObject(fields)) return stringifyJson(redactSecrets(fields))
  } catch {
    // A form.
  }
  return String(redactSecrets(`?${body}`)).slice(1)
}

/**
 * Reads repeated `--input` flags, each `name=value`, or an object as JSON, YAML or `@file`, into one object. Values of
 * `name=value` are texts, which the platform converts to the type of the parameter. @throws ClientFailure `usage`
 */
async function readToolInput(system: System, texts: readonly string[]): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  for (const text of texts) {
    const pair = /^([^\s{@=:]+)=(.*)$/s.exec(text)
    if (pair) {
      input[String(pair[1])] = pair[2]
      continue
    }
    const value = await readValue(system, text, '--input')
    if (!isObject(value))
      throw usageError(
        `Invalid --input "${text}". Use name=value, or an object as JSON, YAML or @file.`,
        'Example: --input phone=+14155550142.',
      )
    Object.assign(input, value)
  }
  return input
}

const deleteOne = deleteCommand({
  endpoint: tools.delete,
  examples: [],
  target,
  dependencyKind: 'tools',
  buildQuestion: (called) => `Delete tool ${called}? Assistants lose access to it.`,
})

const unusedFlag = {
  flags: '--unused',
  describe: 'Only tools that nothing uses: no assistant, and no automation',
} as const

export const remove = command({
  ...deleteOne,
  changesSelected: true,
  argument: { name: 'id', describe: 'Id or name of the tool', optional: true },
  flags: [
    { ...unusedFlag, describe: 'All tools that nothing uses, instead of one' },
    { ...selectionFlag('unused tools'), describe: 'With --unused, only those that match all conditions; repeatable' },
  ],
  exits: ['partial'],
  examples: [
    '3',
    'lookup_patient --confirm lookup_patient',
    '--unused --dry-run',
    '--unused --filter "name~old" --yes',
  ],
  notes: `${inUseNote}\nWith --unused, the question names what is deleted, and one history entry undoes all of it. The credentials of a deleted tool are not restored: an undo needs them with --set. What fails does not stop the rest: the exit code is 11 then.`,
  async run(context, invocation) {
    const { unused, filter } = invocation.flags
    if (unused !== true) {
      if (filter !== undefined)
        throw usageError('--filter requires --unused: tools in use are deleted one by one.', 'Add --unused.')
      return deleteOne.run(context, invocation)
    }
    return changeSelected(context, invocation, {
      list: 'tools list',
      noun: 'tools',
      called: ['unused tool', 'unused tools'],
      verb: ['Delete', 'deleted'],
      narrow: unusedItems('tools'),
      loss: 'An undo creates them again with new ids, without their credentials.',
      endpoint: tools.delete,
      inputOf: ({ id }) => ({ id }),
      apply: ({ call }, { id }) => call(tools.delete, { id: Number(id) }),
    })
  },
})

export const get = getCommand({
  endpoint: tools.get,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [unmaskFlag],
  examples: ['1', 'lookup_patient -o yaml', '1 --unmask'],
  view,
  target,
  toShown: (_, tool, { unmask }) => (unmask ? tool : maskToolCredentials(tool)),
})

export const list = command({
  endpoint: tools.list,
  flags: [unmaskFlag, unusedFlag],
  isList: true,
  examples: ['', '--json', '--fields id,name,endpoint', '--unused'],
  view,
  async run(context, { input, flags }) {
    const shown = flags.unmask ? context : maskingTools(context)
    return printList(flags.unused ? printingSelected(shown, unusedItems('tools')) : shown, tools.list, input)
  },
})

export const test = command({
  callsPlatform: true,
  risk: 'outside',
  supportsPreview: true,
  exits: ['not_found', 'finding', 'consent'],
  summary: 'Send the request of a tool and show its result',
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [
    {
      flags: '--input <name=value>',
      // The global flag --no-input has the name of this one.
      key: 'values',
      describe: 'Value of a parameter, as an assistant would pass it, or an object (JSON, YAML or @file); repeatable',
      repeatable: true,
    },
    {
      flags: '--var <name=value>',
      describe: 'Variable of the conversation, for {{name}} in the URL, headers and fields; repeatable',
      repeatable: true,
    },
    unmaskFlag,
  ],
  examples: [
    'book_appointment --input day=2026-12-01 --input time=09:00 --dry-run',
    'lookup_patient --var customer_phone=+14155550142',
    'book_appointment --input @booking.json --yes --json',
  ],
  notes:
    'Sends the request that an assistant would send during a conversation, from this computer, and prints the request, the response and the result that the assistant receives. Methods other than GET can change data, so they require confirmation. With --dry-run the request is only shown. Credentials are masked; --unmask shows them. The exit code is 20 when the assistant receives an error. The network of a remote deployment may differ from the one of this computer.',
  view: toolTestView,
  async run(context, { argument, flags }) {
    const tool = await requestById(context, argument, target, (id) => context.call(tools.get, { id }))
    const given = await readToolInput(context.system, repeatedFlag(flags, 'values'))
    const unknown = Object.keys(given).find((name) => !tool.schema.some((it) => it.name === name))
    if (unknown !== undefined)
      throw usageError(
        `The tool has no parameter "${unknown}".`,
        tool.schema.length === 0
          ? 'It has no parameters.'
          : `Parameters: ${tool.schema.map((it) => it.name).join(', ')}.`,
      )
    const variables = parseVariables(repeatedFlag(flags, 'var'))
    const readAt = context.pauses()
    const first = await buildTestRequest(tool, given, variables)
    const isUnmasked = flags.unmask === true
    if (context.globals.dryRun || !first.request) {
      await printToolTest(context, first, isUnmasked)
      if (context.globals.dryRun) await context.notes.note('Dry run. Nothing was sent.')
      return first.request ? 'done' : 'finding'
    }
    const built = await confirmPlan(context, {
      plan: first,
      readAt,
      ask: ({ request }, isAskedAgain) => confirm(context, request, isAskedAgain),
      read: async () => buildTestRequest(await context.call(tools.get, { id: tool.id }), given, variables),
      describeChanges: describeRequestChanges,
    })
    if (!built.request) {
      await printToolTest(context, built, isUnmasked)
      return 'finding'
    }
    const tested = await context.progress.showWhile(
      `Waiting for ${new URL(built.request.url).host}`,
      sendTestRequest(context, built),
    )
    await printToolTest(context, tested, isUnmasked)
    return tested.error === null ? 'done' : 'finding'
  },
})

async function confirm(context: Context, request: ToolTest['request'], isAskedAgain: boolean): Promise<void> {
  // Nothing is sent without a request.
  if (!request || (request.method === 'GET' && !isAskedAgain)) return
  const { method, url } = request
  const { host } = new URL(url)
  await requireConfirmation(
    context,
    {
      question: `This sends ${method} to ${host} and may change data there. Send it?`,
      refusalMessage: `Sending ${method} to ${host} may change data there and requires confirmation.`,
    },
    { reachesOutside: true, isAskedAgain },
  )
}

/** Describes what differs in the request of a tool that was changed while the question was open. */
function describeRequestChanges({ request: agreed }: ToolTest, { request: current }: ToolTest): string[] {
  const lines = describeChanges({ ...agreed }, { ...current })
  return lines.length > 0 ? ['The tool was changed while the question was open:', ...lines] : []
}
