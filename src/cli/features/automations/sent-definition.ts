import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { redactValue } from '../../../contract/values/redact.ts'
import { maskValue } from '../../../engine/definition/mask.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { fieldsNotLive, type LiveAutomation } from './live-automation.ts'

/** Returns a sent definition without secrets in the form that the operations journal keeps: JSON, deflated, Base64. */
export function packDefinition(flow: unknown): string {
  return deflateRawSync(stringifyJson(redactValue(maskValue(flow)))).toString('base64')
}

/**
 * Returns whether the live definition is not the one that was sent, because someone else published another one. False
 * if this cannot be determined. Secrets are not compared.
 */
export async function isForeignDefinition(packed: string | undefined, live: LiveAutomation): Promise<boolean> {
  if (packed === undefined) return false
  let flow: unknown
  try {
    flow = parseJson(inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8'))
  } catch {
    return false
  }
  return ((await fieldsNotLive(flow, live)) ?? []).length > 0
}
