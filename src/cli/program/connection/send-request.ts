import { buildRequest } from '../../../client/requests/build-request.ts'
import { toCurl } from '../../../client/requests/curl-command.ts'
import type { Endpoint, Input, Output } from '../../../contract/endpoint/endpoint.ts'
import { redactedText, redactInput } from '../../../contract/values/redact.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { riskOf } from '../commandline/command.ts'
import type { Context, WriteHistory } from '../context.ts'
import type { View } from '../output/format.ts'
import { applicableFields } from '../updates/inapplicable-fields.ts'
import { wireDialect } from './connect.ts'

/**
 * Prints the request instead of sending it: with --print-curl as a curl command, with --dry-run as method, path and
 * body, which scripts read under these names. Returns false if neither was passed.
 */
export async function previewRequest(
  context: Context,
  endpoint: Endpoint,
  input: Record<string, unknown>,
): Promise<boolean> {
  const { printCurl, dryRun } = context.globals
  const isDry = dryRun && riskOf(context.command) !== 'read'
  if (!printCurl && !isDry) return false
  if (isDry && context.writeSettings.ifUnchanged !== undefined)
    await (await import('../history/if-unchanged.ts')).requireUnchangedBeforeWrite(context, endpoint, input)
  const masked = redactInput(input)
  const settings = await context.settings()
  if (printCurl) {
    // The curl command uses the vocabulary of the platform it is sent to.
    await context.out.line(
      toCurl(settings.baseUrl.value, buildRequest(endpoint, masked, await wireDialect(settings)), endpoint.auth),
    )
  } else {
    const request = buildRequest(endpoint, masked)
    await context.out.record(
      { method: request.method, path: request.url, body: request.body === undefined ? null : parseJson(request.body) },
      { view: previewView },
    )
    await context.notes.note('Dry run. Nothing was sent.')
  }
  if (stringifyJson(masked) !== stringifyJson(input)) await context.notes.note(`Secrets are shown as ${redactedText}.`)
  return true
}

const previewView: View<{ readonly method: string; readonly path: string }> = {
  id: (it) => it.path,
  columns: [],
  empty: '',
}

/** What a command adds to a request of its endpoint. */
export interface SendOptions {
  /** Text of the progress spinner (default: none is shown). */
  readonly progressText?: string | undefined
  /** What the history recorder needs of a write. */
  readonly history?: WriteHistory
  /** Reads the price of a billable request in USD, if its answer has no cost. */
  readonly readPrice?: () => Promise<number | undefined>
}

/**
 * Calls the command's endpoint, or only shows the call; undefined when it was only shown. The order protects money: a preview asks
 * and sends nothing, questions come before the request, and `context.call` compares the price that was read last with --budget and
 * writes the operation to the journal before it is sent.
 */
export async function sendRequest<E extends Endpoint>(
  context: Context,
  endpoint: E,
  given: Record<string, unknown>,
  { progressText, history, readPrice }: SendOptions = {},
): Promise<Output<E> | undefined> {
  // An update has compared its fields with the live record already.
  const input = endpoint.method === 'POST' ? applicableFields(context, { endpoint, given }) : given
  if (await previewRequest(context, endpoint, input)) return undefined
  let priceUsd: number | undefined
  if (endpoint.risk === 'spends') {
    const { confirmRepeat, confirmSpend } = await import('../consent/confirm-paid-request.ts')
    if (endpoint.isMessage && (input.recipient_phone ?? input.to) !== undefined)
      await confirmRepeat(context, endpoint, input, true)
    priceUsd = await readPrice?.()
    const pauses = context.pauses()
    await confirmSpend(context, endpoint, input, priceUsd)
    // The price may have changed during the question.
    if (context.pauses() !== pauses) priceUsd = await readPrice?.()
  }
  const pending = context.call(endpoint, input as Input<E>, { priceUsd, ...(history && { history }) })
  return progressText === undefined ? pending : context.progress.showWhile(progressText, pending)
}
