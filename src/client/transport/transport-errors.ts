import { TransportError, type TransportReason } from './transport.ts'

/**
 * Returns the reason for an error code of a socket, TLS, a name server or an HTTP parser. It decides the code of the failure,
 * and whether a retry may help (retry-policy.ts).
 */
function transportReason(code: string): TransportReason {
  if (/^E(NOTFOUND|AI_|SERVFAIL|NODATA)/.test(code)) return 'dns'
  if (
    /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_(TLS|SSL)|^EPROTO$|^HOSTNAME_MISMATCH$|^CRL_|^INVALID_CA$|^PATH_LENGTH_EXCEEDED$/.test(
      code,
    )
  )
    return 'tls'
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/.test(code)) return 'refused'
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout'
  if (/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/.test(code)) return 'reset'
  return 'other'
}

interface CodedError extends Error {
  readonly code?: string
  readonly errors?: readonly CodedError[]
}

/** Returns the code of an error, or of its first inner error when several addresses were tried. */
const errorCode = (error: CodedError): string => error.code ?? error.errors?.[0]?.code ?? ''

/** Converts an error below HTTP to a transport error. */
export function toTransportError(error: Error, sent: boolean): TransportError {
  const code = errorCode(error)
  const inner = error.message || (error as CodedError).errors?.[0]?.message || code
  const text = code.startsWith('HPE_')
    ? `the response is not HTTP (${code})`
    : code && !inner.includes(code)
      ? `${inner} (${code})`
      : inner
  return new TransportError(transportReason(code), text, sent, error)
}
