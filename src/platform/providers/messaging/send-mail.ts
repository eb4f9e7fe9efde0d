import { createTransport } from 'nodemailer'
import type { Mail, ProviderResult } from '../../../engine/ports.ts'
import type { SmtpServer } from './smtp-server.ts'

interface Outgoing {
  /** Message-ID, by which a server can detect duplicates. */
  readonly id: string
  readonly sender: string
  readonly mail: Mail
  readonly at: Date
}

const isLocalHost = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)

/**
 * Sends mail through an SMTP server. Certificates are always checked. A password is sent only over an encrypted
 * connection, or to this machine.
 */
export async function sendMail(
  server: SmtpServer,
  { id, sender, mail, at }: Outgoing,
): Promise<ProviderResult<object>> {
  const { host, port, secure, user, password } = server
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: user !== undefined && !secure && !isLocalHost(host),
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // Texts come from events and must not name files or URLs to be attached.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    const { to, cc, bcc, subject, text, html, replyTo, senderName } = mail
    const from = senderName === undefined ? sender : { name: senderName, address: sender.replace(/^.*<|>$/g, '') }
    await transport.sendMail({
      from,
      to: [...to],
      cc: [...cc],
      bcc: [...bcc],
      subject,
      messageId: id,
      date: at,
      ...(html === undefined ? { text: text ?? '' } : { html }),
      ...(replyTo !== undefined && { replyTo }),
    })
    return { ok: true }
  } catch (error) {
    return toSmtpFailure(error as Error & { readonly code?: string; readonly responseCode?: number })
  } finally {
    transport.close()
  }
}

/**
 * Returns the failure of a mail. Codes 5xx are permanent; codes 4xx and connection errors are temporary. `because` decides the
 * class of the failed step in create-ports.ts.
 */
function toSmtpFailure({
  message,
  code,
  responseCode,
}: Error & { readonly code?: string; readonly responseCode?: number }): ProviderResult<object> {
  const reason = `The mail server rejected the email: ${message.replace(/\s+/g, ' ').trim()}`
  if (code === 'EAUTH' || responseCode === 535) return { ok: false, reason, because: 'access' }
  const isTemporary =
    responseCode === undefined
      ? ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS'].includes(code ?? '')
      : responseCode < 500
  return isTemporary ? { ok: false, reason, because: 'busy' } : { ok: false, reason }
}
