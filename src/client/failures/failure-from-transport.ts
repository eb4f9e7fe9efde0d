import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import type { TransportError, TransportReason } from '../transport/transport.ts'
import { ClientFailure, reconcileCommands } from './client-failure.ts'
import { platformAtStart, platformName } from './platform-name.ts'
import { checkOutcomeHint } from './uncertain-writes.ts'

/** The context of a missing response, for messages and hints. */
interface TransportContext {
  /** The base URL, for messages. */
  readonly base: string
  readonly timeoutMs: number
  readonly requestId?: string
}

/**
 * Returns the failure for a missing response: exit `unknown` when a billable operation may have been received, `interrupted`
 * when the user stopped another request, else `connection`. Scripts and explain-failure.ts read the code
 * `connection_<reason>`, and scripts `outcome_unknown`: they are not renamed.
 */
export function failureFromTransport(
  error: TransportError,
  endpoint: Endpoint,
  context: TransportContext,
): ClientFailure {
  const { text, hint } = wording(error, context)
  // The id of a request that was not received would be useless.
  const requestId = error.sent ? context.requestId : undefined
  const parts = {
    code: `connection_${error.reason}`,
    sent: error.sent,
    cause: error,
    ...(requestId !== undefined && { requestId }),
  }
  const maybeDone = error.sent && endpoint.risk !== 'read'
  const isOutcomeUnknown = endpoint.risk === 'spends' && error.sent
  if (error.reason === 'aborted' && !isOutcomeUnknown)
    return new ClientFailure({
      ...parts,
      exit: 'interrupted',
      code: 'interrupted',
      message: text,
      ...(maybeDone && { hint: checkOutcomeHint(endpoint) }),
    })
  if (isOutcomeUnknown) {
    return new ClientFailure({
      ...parts,
      exit: 'unknown',
      code: 'outcome_unknown',
      message: `${text} The outcome of the request is unknown.`,
      hint: 'Check the outcome before you repeat it: parley ops reconcile.',
      next: reconcileCommands,
    })
  }
  return new ClientFailure({
    ...parts,
    exit: 'connection',
    message: text,
    // The advice to try again is for requests that changed nothing.
    hint: maybeDone ? checkOutcomeHint(endpoint) : hint,
  })
}

/**
 * Returns why there is no response, as a clause: `Connection refused by http://127.0.0.1:4010`. It is the reason of a retry
 * that people read while it waits.
 */
export const noResponseReason = (error: TransportError, context: TransportContext): string =>
  wording(error, context).text.replace(/\.$/, '')

interface Wording {
  readonly text: string
  readonly hint: string
}

const startServerHint =
  'Check that it is running. To start a local server: parley server start. To use another platform, set --base-url or PARLEY_BASE_URL.'

function wording(error: TransportError, { base, timeoutMs }: TransportContext): Wording {
  const seconds = `${timeoutMs / 1000} s`
  const table: Record<TransportReason, Wording> = {
    refused: { text: `Connection refused by ${platformName(base)}.`, hint: startServerHint },
    dns: {
      text: `DNS lookup failed for the host of ${platformName(base)}.`,
      hint: 'Check --base-url and the network. Behind a proxy, set HTTPS_PROXY.',
    },
    tls: {
      text: `The TLS connection to ${platformName(base)} failed: ${tlsReason(error.message)}.`,
      hint: tlsHint(error.message),
    },
    timeout: {
      text: `${platformAtStart(base)} did not respond within ${seconds}.`,
      hint: 'Increase the timeout with --request-timeout <seconds>. --verbose shows the duration of each request.',
    },
    reset: {
      text: `${platformAtStart(base)} closed the connection without a response.`,
      hint: 'Try again. If it persists, run the command with --debug.',
    },
    truncated: {
      text: `The response of ${platformName(base)} was cut off.`,
      hint: 'Try again. If it persists, run the command with --debug.',
    },
    proxy: {
      text: `The proxy rejected the connection to ${platformName(base)}: ${error.message}.`,
      hint: 'Check HTTPS_PROXY and HTTP_PROXY. To exempt hosts, set NO_PROXY.',
    },
    aborted: { text: 'Interrupted.', hint: '' },
    other: {
      text: `No response from ${platformName(base)}: ${error.message}.`,
      hint: 'Run the command again with --debug to see the request.',
    },
  }
  return table[error.reason]
}

/** Returns the reason in an OpenSSL error message, which contains a whole trace and ends with a line break. */
const tlsReason = (message: string): string =>
  /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? message.trim().replace(/[.:]$/, '')

function tlsHint(reason: string): string {
  if (/EXPIRED|NOT_YET_VALID/.test(reason)) return 'The certificate has expired, or the clock of this machine is wrong.'
  if (/ALTNAME|HOSTNAME/.test(reason)) return 'The certificate is for another host. Check --base-url.'
  if (/EPROTO|WRONG_VERSION|ERR_SSL/.test(reason))
    return 'Check that it supports https. A platform on this machine usually uses http://127.0.0.1:<port>.'
  return 'For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file (PEM). See: parley help environment.'
}
