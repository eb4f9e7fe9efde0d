import { driftOperations, faults, socketFaults } from '../../../../contract/control/faults.ts'
import { command, type Invocation, repeatedFlag } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import type { Context } from '../../../context.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { printWriteResult } from '../../../output/print-result.ts'
import { selectIfMissing } from '../../../prompts/prompt-if-missing.ts'
import { view } from './view.ts'

const lines = (words: Readonly<Record<string, string>>, flag: (word: string) => string): string =>
  Object.entries(words)
    .map(([word, meaning]) => `${flag(word)}: ${meaning}`)
    .join('\n')

export const add = command({
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
  const names =
    given === undefined && context.interactive
      ? (await import('../../../../contract/resources/index.ts')).endpoints.map(({ name }) => name)
      : []
  return selectIfMissing(context, given, ['*', ...names], {
    question: 'Which endpoint?',
    missingMessage: 'Missing endpoint. Pass an endpoint or "*".',
    hint: 'List endpoints: parley api --list.',
  })
}

function whereOf(flags: Invocation['flags']): Record<string, string> {
  return Object.fromEntries(
    repeatedFlag(flags, 'where').map((it) => {
      const at = it.indexOf('=')
      if (at < 1) throw usageError(`Invalid --where "${it}". Use path=value.`)
      return [it.slice(0, at), it.slice(at + 1)]
    }),
  )
}
