import { createSandbox } from '../../../engine/sandbox/create-sandbox.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { LocalCheckResult, LocalFailure } from '../../../platform/runs/local-check.ts'
import type { Context } from '../../program/context.ts'

export type { LocalCheckResult as LocalVerdict, LocalFailure }

/** Checks a definition locally with a sample of trigger input. Sends nothing. */
export async function checkLocally(context: Context, flow: unknown, sample: unknown): Promise<LocalCheckResult> {
  const { checkDefinitionLocally } = await import('../../../platform/runs/local-check.ts')
  const { system } = context
  const sandbox = createSandbox()
  try {
    return await checkDefinitionLocally(flow, { sandbox, sample, now: system.now() * 1000, signal: system.signal })
  } finally {
    await sandbox.close()
  }
}

/** Lists steps without a local test in a sentence; undefined if all were tested. */
export function notTestedNote({ notTested }: LocalCheckResult): string | undefined {
  if (notTested.length === 0) return undefined
  const list = notTested.map(({ step, reason }) => `${step ?? 'the definition'} (${reason})`).join(', ')
  return `Not tested locally: ${list}.`
}

const maxInputLength = 400

/** Describes a failure in one or two lines: place, cause and input of the step. */
export function describeFailure({ step, path, message, input }: LocalFailure): string {
  const where = [step, path].filter(Boolean).join(' ')
  const received = input === undefined || input === null ? undefined : stringifyJson(input)
  const shown =
    received !== undefined && received.length > maxInputLength ? `${received.slice(0, maxInputLength)}…` : received
  return `${where}${where ? ': ' : ''}${message}${shown === undefined ? '' : `\n  input: ${shown}`}`
}
