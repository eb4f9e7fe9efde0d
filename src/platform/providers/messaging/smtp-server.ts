/** An SMTP server and how to use it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** Whether the connection is encrypted from the start; otherwise STARTTLS is used when the server supports it. */
  readonly secure: boolean
  readonly user: string | undefined
  readonly password: string | undefined
  /** Sender address. */
  readonly from: string
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Parses the SMTP server of a connection's secret: `{host, port, secure, user, password, from}`. Users have stored these
 * fields (`server connections create --kind mail`): they never change. Returns undefined without a host, or `wrong` with the
 * reason when it is invalid, which the failed step shows.
 */
export function parseSmtpServer(
  access: Readonly<Record<string, unknown>>,
): SmtpServer | { readonly wrong: string } | undefined {
  const host = text(access.host)
  if (host === undefined) return undefined
  const secure = access.secure === true || access.secure === 'true'
  const port = Number(access.port ?? (secure ? 465 : 587))
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return { wrong: 'The port of the mail connection is invalid. Use 1 to 65535.' }
  const user = text(access.user)
  const from = text(access.from) ?? (user?.includes('@') ? user : undefined)
  if (from === undefined || !/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(from))
    return { wrong: 'The mail connection has no `from`. Set it to the sender address.' }
  return { host, port, secure, user, password: text(access.password), from }
}
