import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { TransportError, TransportReason } from '../transport/transport.ts'
import { ClientFailure, reconcileCommands } from './client-failure.ts'
import { checkOutcomeHint } from './uncertain-writes.ts'

export interface TransportContext {
  /** Where the request went, for people. */
  readonly base: string
  readonly timeoutMs: number
  readonly requestId?: string
}

/** The failure a missing answer means: exit `connection`; `unknown` when a spend may have arrived, whoever ended it; `interrupted` when the user stopped anything else. */
export function failureFromTransport(
  error: TransportError,
  endpoint: Endpoint,
  context: TransportContext,
): ClientFailure {
  const { text, hint } = wording(error, context)
  // An id that nobody received leads nowhere.
  const requestId = error.sent ? context.requestId : undefined
  const parts = {
    code: `connection_${error.reason}`,
    sent: error.sent,
    cause: error,
    ...(requestId !== undefined && { requestId }),
  }
  const inDoubt = endpoint.risk === 'spends' && error.sent
  if (error.reason === 'aborted' && !inDoubt)
    return new ClientFailure({ ...parts, exit: 'interrupted', code: 'interrupted', message: 'Interrupted.' })
  if (inDoubt) {
    return new ClientFailure({
      ...parts,
      exit: 'unknown',
      code: 'outcome_unknown',
      message: `${text} Whether the request was carried out is not known.`,
      hint: 'Do not repeat it before looking: parley ops reconcile.',
      next: reconcileCommands,
    })
  }
  const maybeDone = error.sent && endpoint.risk !== 'read'
  return new ClientFailure({
    ...parts,
    exit: 'connection',
    message: text,
    hint: maybeDone ? `${checkOutcomeHint(endpoint)} ${hint}` : hint,
  })
}

/** Why there is no answer, as a clause: `Nothing answers at http://127.0.0.1:4010`. */
export const noResponseReason = (error: TransportError, context: TransportContext): string =>
  wording(error, context).text.replace(/\.$/, '')

interface Wording {
  readonly text: string
  readonly hint: string
}

const startServerHint =
  'Is it running? "parley server start" runs one of your own; --base-url or PARLEY_BASE_URL names another.'

function wording(error: TransportError, { base, timeoutMs }: TransportContext): Wording {
  const seconds = `${timeoutMs / 1000} s`
  const table: Record<TransportReason, Wording> = {
    refused: { text: `Nothing answers at ${base}.`, hint: startServerHint },
    dns: {
      text: `The host of ${base} was not found.`,
      hint: 'Check --base-url and the network; behind a proxy set HTTPS_PROXY.',
    },
    tls: { text: `The TLS connection to ${base} failed: ${error.message}.`, hint: tlsHint(error.message) },
    timeout: {
      text: `${base} did not answer within ${seconds}.`,
      hint: 'Allow more time with --request-timeout <seconds>. --verbose shows how long each request takes.',
    },
    reset: {
      text: `${base} closed the connection without an answer.`,
      hint: 'Try again; if it stays so, look with --debug.',
    },
    truncated: { text: `The answer of ${base} broke off.`, hint: 'Try again; if it stays so, look with --debug.' },
    proxy: {
      text: `The proxy did not let us through to ${base}: ${error.message}.`,
      hint: 'Check HTTPS_PROXY and HTTP_PROXY; NO_PROXY exempts a host.',
    },
    aborted: { text: 'Interrupted.', hint: '' },
    other: {
      text: `No answer from ${base}: ${error.message}.`,
      hint: 'Run it again with --debug to see what was sent.',
    },
  }
  return table[error.reason]
}

function tlsHint(reason: string): string {
  if (/EXPIRED|NOT_YET_VALID/.test(reason))
    return 'The certificate is out of date, or the clock of this machine is wrong.'
  if (/ALTNAME|HOSTNAME/.test(reason)) return 'The certificate is for another host: check --base-url.'
  if (/EPROTO|WRONG_VERSION|ERR_SSL/.test(reason))
    return 'Does it speak https at all? A platform on this machine is usually http://127.0.0.1:<port>.'
  return 'For a certificate of your own, set NODE_EXTRA_CA_CERTS to a file with its authority (PEM). More: parley help environment.'
}
