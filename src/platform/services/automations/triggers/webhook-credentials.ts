import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { getOwn, nodeSettings } from '../../../../engine/definition/node.ts'
import type { WebhookRequest } from '../../../../engine/templates/event-samples.ts'
import { stringifyJson } from '../../../../node/json.ts'
import type { RunAnswer } from '../../../runs/stop-reason.ts'
import { hashSecret } from '../../runtime/api-keys.ts'
import type { Deps } from '../../runtime/deps.ts'
import { isEqualSecret } from '../../runtime/vault.ts'
import type { WebhookFile } from './webhook-files.ts'

/** The credential that a trigger requires: the header it is in, and its value. */
interface RequiredCredential {
  readonly header: string
  readonly value: string
}

/**
 * Checks the credentials of a request to a webhook. Returns undefined when they are right or none are required. After
 * too many wrong ones from an address, only callers whose credentials were accepted before are let through, because
 * passwords can be guessed.
 */
export async function checkCredentials(
  { attempts: attemptsOf, log }: Pick<Deps, 'attempts' | 'log'>,
  id: string,
  trigger: AutomationNode,
  { headers, remoteAddress }: IncomingRequest,
): Promise<WebhookResult | undefined> {
  const required = requiredCredential(trigger)
  if (!required) return undefined
  const given = headers[required.header] ?? ''
  const isRight = isEqualSecret(given, required.value)
  const attempts = remoteAddress === undefined ? undefined : await attemptsOf?.()
  if (!attempts || remoteAddress === undefined) return isRight ? undefined : reject()
  const credential = hashSecret(stringifyJson([id, remoteAddress, required]))
  if (isRight && attempts.isAccepted(credential)) return undefined
  const seconds = attempts.waitOf(remoteAddress, id)
  if (seconds > 0) return { kind: 'throttled', seconds }
  if (isRight) {
    attempts.accept(credential)
    return undefined
  }
  attempts.fail(remoteAddress, id)
  return reject()

  function reject(): WebhookResult {
    log(`webhook ${id}: a call with missing or invalid credentials was rejected`)
    return { kind: 'unauthorized' }
  }
}

/** Returns what a trigger requires: nothing, basic authentication, or a header. */
function requiredCredential(trigger: AutomationNode): RequiredCredential | undefined {
  const input = getOwn(nodeSettings(trigger), 'input')
  const type = getOwn(input, 'authType') ?? 'none'
  if (type === 'none' || type === '') return undefined
  const field = (name: string): string => String(getOwn(getOwn(input, 'authFields'), name) ?? '')
  if (type !== 'basic') return { header: field('headerName').toLowerCase(), value: field('headerValue') }
  const login = Buffer.from(`${field('username')}:${field('password')}`).toString('base64')
  return { header: 'authorization', value: `Basic ${login}` }
}

/** A request as it was received. Its files are stored only after it is accepted. */
export interface IncomingRequest extends WebhookRequest {
  readonly files?: readonly WebhookFile[]
  /** The body as it was sent. */
  readonly rawBytes?: Uint8Array
  /** Base URL at which the platform was reached, for the addresses of files. */
  readonly origin?: string
  /** Address of the client; callers in the same process have none. */
  readonly remoteAddress?: string
}

/** The outcome of a request to a webhook or to an address that ends a wait. */
export type WebhookResult =
  | {
      readonly kind: 'unknown' | 'disabled' | 'unauthorized' | 'sample_saved' | 'no_answer' | 'used' | 'ended' | 'ready'
    }
  | { readonly kind: 'throttled' | 'behind'; readonly seconds: number }
  | { readonly kind: 'accepted' | 'failed'; readonly run: string }
  | { readonly kind: 'answered'; readonly run: string; readonly answer: RunAnswer }
