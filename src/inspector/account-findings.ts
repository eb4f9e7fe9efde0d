import type { PlainRequest, PlainResponse } from '../contract/mechanics/http-message.ts'
import { platformClient } from './platform-client.ts'

/** A problem of an account, with the command or instruction that fixes it. */
export interface Problem {
  readonly code: string
  readonly severity: 'warning' | 'failed'
  readonly text: string
  readonly command: string | null
  readonly subject: { readonly noun: string; readonly id: string } | null
}

/**
 * Checks the resources of an account as `parley doctor` does, except for the code of automations: the platform has
 * checked it when it was published, and a page asks often. `send` answers for that account, and `now` is
 * the time of the platform in milliseconds since 1970.
 */
export async function findAccountProblems(
  send: (request: PlainRequest) => Promise<PlainResponse>,
  now: number,
): Promise<Problem[]> {
  const { checkAccount } = await import('../cli/features/doctor/account/check-account.ts')
  const call = await platformClient(send)
  const findings = await checkAccount(
    { system: { signal: new AbortController().signal }, supports: async () => true },
    { call, base: 'embedded:', now, reach: false, checksCode: false },
  )
  return findings.flatMap(({ check, status, detail, hint, noun, id, record }) => {
    if (status === 'ok') return []
    const subject = record ?? (noun === null || id === null ? null : { noun, id: String(id) })
    return [{ code: check, severity: status, text: detail, command: hint, subject }]
  })
}
