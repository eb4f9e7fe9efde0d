import { tools } from '../../../contract/resources/tools.ts'
import { command, repeatedFlag } from '../../commandline/command.ts'
import { confirmPlan, requireConfirmation } from '../../consent/require-confirmation.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseVariables } from '../../input/parse-variables.ts'
import { requestById } from '../../input/request-by-id.ts'
import { unmaskFlag } from '../../secrets/tool-credentials.ts'
import { describeChanges } from '../../updates/field-changes.ts'
import { printToolTest } from './print-tool-test.ts'
import { readToolInput } from './tool-input.ts'
import { buildTestRequest, sendTestRequest, type ToolTest, toolTestView } from './tool-test.ts'
import { target } from './view.ts'

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
